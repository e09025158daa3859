import{k as o}from"./chunk-RR2FIZVG.js";var a=o(!1);export{a};
