import{k as t}from"./chunk-CRSGXI2F.js";var r=t(null);export{r as a};
