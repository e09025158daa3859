import{k as l}from"./chunk-IAE7P2G7.js";var e=l(null);export{e as a};
