import{k as t}from"./chunk-EPUP4DVV.js";var r=t(null);export{r as a};
