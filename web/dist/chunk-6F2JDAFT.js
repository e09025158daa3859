import{k as l}from"./chunk-24A5VX5B.js";var e=l(null);export{e as a};
