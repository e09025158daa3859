import{k as t}from"./chunk-24A5VX5B.js";var r=t(null);export{r as a};
