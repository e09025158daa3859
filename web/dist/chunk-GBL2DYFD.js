import{k as o}from"./chunk-2UC33URC.js";var m=o(null);export{m as a};
