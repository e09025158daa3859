import{k as o}from"./chunk-CNTPUYRE.js";var a=o(!1);export{a};
