import{k as t}from"./chunk-CNTPUYRE.js";var r=t(null);export{r as a};
