import{k as l}from"./chunk-CSW6OBBX.js";var e=l(null);export{e as a};
