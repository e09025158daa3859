import{k as o}from"./chunk-K2QIF5R7.js";var a=o(!1);export{a};
