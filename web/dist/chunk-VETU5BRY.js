import{k as o}from"./chunk-7Y4MYJO5.js";var a=o(!1);export{a};
