import{k as o}from"./chunk-EPUP4DVV.js";var a=o(!1);export{a};
