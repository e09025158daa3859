import{k as t}from"./chunk-CSW6OBBX.js";var r=t(null);export{r as a};
