import{k as o}from"./chunk-ZPX4L7LU.js";var a=o(!1);export{a};
