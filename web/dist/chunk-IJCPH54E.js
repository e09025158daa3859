import{g as o}from"./chunk-TOKDLV4N.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
