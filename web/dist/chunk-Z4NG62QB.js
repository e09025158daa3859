import{k as o}from"./chunk-CRSGXI2F.js";var m=o(null);export{m as a};
