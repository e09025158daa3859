import{t as o}from"./chunk-B7XDPOGS.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
