import{k as o}from"./chunk-RR2FIZVG.js";var m=o(null);export{m as a};
