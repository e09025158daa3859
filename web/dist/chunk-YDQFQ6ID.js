import{u as o}from"./chunk-7NS53OK5.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
