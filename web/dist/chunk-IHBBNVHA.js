import{k as l}from"./chunk-RODFMPJ3.js";var e=l(null);export{e as a};
