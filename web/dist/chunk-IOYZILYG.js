import{t as o}from"./chunk-BTY74Z77.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
