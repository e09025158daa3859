import{k as o}from"./chunk-K2QIF5R7.js";var m=o(null);export{m as a};
