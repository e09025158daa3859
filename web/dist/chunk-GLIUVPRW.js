import{i as o}from"./chunk-SGGYFEY2.js";var m=o(null);export{m as a};
