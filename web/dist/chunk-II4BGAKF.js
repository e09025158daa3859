import{k as l}from"./chunk-RR2FIZVG.js";var e=l(null);export{e as a};
