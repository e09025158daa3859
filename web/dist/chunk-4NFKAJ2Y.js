import{k as o}from"./chunk-EPUP4DVV.js";var m=o(null);export{m as a};
