import{j as l}from"./chunk-7NS53OK5.js";var e=l(null);export{e as a};
