import{k as o}from"./chunk-ZPX4L7LU.js";var m=o(null);export{m as a};
