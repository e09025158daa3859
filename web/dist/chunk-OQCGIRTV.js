import{t as o}from"./chunk-34SI2JTO.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
