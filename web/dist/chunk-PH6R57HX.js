import{k as o}from"./chunk-IAE7P2G7.js";var a=o(!1);export{a};
