import{k as o}from"./chunk-7Y4MYJO5.js";var m=o(null);export{m as a};
