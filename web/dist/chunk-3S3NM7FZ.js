import{k as t}from"./chunk-IAE7P2G7.js";var r=t(null);export{r as a};
