import{k as l}from"./chunk-2TYZFJE4.js";var e=l(null);export{e as a};
