import{i as t}from"./chunk-BTY74Z77.js";var r=t(null);export{r as a};
