import{k as l}from"./chunk-ZPX4L7LU.js";var e=l(null);export{e as a};
