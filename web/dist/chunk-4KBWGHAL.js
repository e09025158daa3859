import{t as o}from"./chunk-Z7BNPAJ3.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
