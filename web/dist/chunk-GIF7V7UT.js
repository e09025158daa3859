import{i as l}from"./chunk-34SI2JTO.js";var e=l(null);export{e as a};
