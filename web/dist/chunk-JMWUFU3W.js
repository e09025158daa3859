import{v as o}from"./chunk-EPUP4DVV.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
