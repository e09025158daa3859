import{t as o}from"./chunk-SGGYFEY2.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
