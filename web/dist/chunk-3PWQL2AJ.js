import{i as l}from"./chunk-BTY74Z77.js";var e=l(null);export{e as a};
