import{k as o}from"./chunk-CSW6OBBX.js";var m=o(null);export{m as a};
