import{k as t}from"./chunk-7Y4MYJO5.js";var r=t(null);export{r as a};
