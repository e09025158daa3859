import{i as o}from"./chunk-34SI2JTO.js";var m=o(null);export{m as a};
