import{k as o}from"./chunk-24A5VX5B.js";var m=o(null);export{m as a};
