import{k as o}from"./chunk-CSW6OBBX.js";var a=o(!1);export{a};
