import{v as o}from"./chunk-ZPX4L7LU.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
