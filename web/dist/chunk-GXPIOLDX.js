import{k as t}from"./chunk-ZPX4L7LU.js";var r=t(null);export{r as a};
