import{t as o}from"./chunk-Q3MZBM4T.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
