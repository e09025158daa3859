import{k as l}from"./chunk-7Y4MYJO5.js";var e=l(null);export{e as a};
