import{k as o}from"./chunk-CRSGXI2F.js";var a=o(!1);export{a};
