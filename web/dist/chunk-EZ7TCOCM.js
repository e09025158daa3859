import{k as l}from"./chunk-CRSGXI2F.js";var e=l(null);export{e as a};
