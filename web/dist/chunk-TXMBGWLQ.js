import{k as l}from"./chunk-CNTPUYRE.js";var e=l(null);export{e as a};
