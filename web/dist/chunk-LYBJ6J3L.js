import{i as o}from"./chunk-34SI2JTO.js";var a=o(!1);export{a};
