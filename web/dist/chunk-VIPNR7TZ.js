import{t as o}from"./chunk-GLGA4ACI.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
