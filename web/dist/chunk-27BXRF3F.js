import{k as o}from"./chunk-24A5VX5B.js";var a=o(!1);export{a};
