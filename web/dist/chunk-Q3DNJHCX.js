import{j as o}from"./chunk-7NS53OK5.js";var m=o(null);export{m as a};
