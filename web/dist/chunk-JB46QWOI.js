import{k as l}from"./chunk-K2QIF5R7.js";var e=l(null);export{e as a};
