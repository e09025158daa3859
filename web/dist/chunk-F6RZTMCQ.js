import{j as t}from"./chunk-7NS53OK5.js";var r=t(null);export{r as a};
