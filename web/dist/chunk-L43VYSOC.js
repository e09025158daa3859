import{t as o}from"./chunk-LXNHHS2P.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
