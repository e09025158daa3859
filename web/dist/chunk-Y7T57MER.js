import{k as t}from"./chunk-2TYZFJE4.js";var r=t(null);export{r as a};
