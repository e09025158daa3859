import{k as o}from"./chunk-RODFMPJ3.js";var a=o(!1);export{a};
