import{k as t}from"./chunk-2UC33URC.js";var r=t(null);export{r as a};
