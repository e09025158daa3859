import{k as o}from"./chunk-RODFMPJ3.js";var m=o(null);export{m as a};
