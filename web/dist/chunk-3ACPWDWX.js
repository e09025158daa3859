import{k as o}from"./chunk-IAE7P2G7.js";var m=o(null);export{m as a};
