import{k as t}from"./chunk-RR2FIZVG.js";var r=t(null);export{r as a};
