import{k as o}from"./chunk-2UC33URC.js";var a=o(!1);export{a};
