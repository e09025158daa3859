import{k as o}from"./chunk-2TYZFJE4.js";var a=o(!1);export{a};
