import{k as l}from"./chunk-2UC33URC.js";var e=l(null);export{e as a};
