import{t as o}from"./chunk-OA4QIDIV.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
