import{k as l}from"./chunk-EPUP4DVV.js";var e=l(null);export{e as a};
