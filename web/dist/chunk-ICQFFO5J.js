import{k as o}from"./chunk-CNTPUYRE.js";var m=o(null);export{m as a};
