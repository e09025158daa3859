import{i as o}from"./chunk-BTY74Z77.js";var m=o(null);export{m as a};
