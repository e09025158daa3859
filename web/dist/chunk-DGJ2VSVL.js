import{i as o}from"./chunk-BTY74Z77.js";var a=o(!1);export{a};
