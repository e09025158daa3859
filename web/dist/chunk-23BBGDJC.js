import{j as o}from"./chunk-7NS53OK5.js";var a=o(!1);export{a};
