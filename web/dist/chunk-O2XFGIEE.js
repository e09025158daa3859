import{g as n}from"./chunk-S25LXZ5Y.js";var t=n(0);function i(o){o==="help"&&t.value++;let e=document.getElementById(o);e instanceof HTMLDialogElement&&!e.open&&e.showModal()}export{t as a,i as b};
