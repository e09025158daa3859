import{k as o}from"./chunk-2TYZFJE4.js";var m=o(null);export{m as a};
