import{g as o}from"./chunk-GO7AZ3JU.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
