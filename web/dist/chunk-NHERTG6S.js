import{k as t}from"./chunk-RODFMPJ3.js";var r=t(null);export{r as a};
