import{Y as o}from"./chunk-S25LXZ5Y.js";var i=t=>t.clipboard?o("clipboard.title"):t.name;export{i as a};
