import{k as t}from"./chunk-K2QIF5R7.js";var r=t(null);export{r as a};
