import{i as m,l as u,u as f}from"./chunk-PPUXN7E7.js";import{x as a}from"./chunk-5OI4IB67.js";import{a as p}from"./chunk-AH4FL4OT.js";import{h as l}from"./chunk-RQOSAPJI.js";import{f as r}from"./chunk-DFKH4PMO.js";import{v as i}from"./chunk-2TYZFJE4.js";var o=/^[pnbrqkPNBRQK1-8]+(\/[pnbrqkPNBRQK1-8]+){7} [wb] \S+ \S+( \d+ \d+)?$/,c=n=>n===p?`[Event "?"]
[Result "*"]

*
`:`[Event "?"]
[Result "*"]
[SetUp "1"]
[FEN "${n}"]

*
`;function d(n){let t=n.trim();return o.test(t)?l(t)?c(t):null:/^\[[A-Za-z][\w-]* "/m.test(t)||/(^|\s)1\.\s*\S+/.test(t)?`${t}
`:null}async function E(n){let t=d(n);if(t===null)return n.trim()&&(u.value=i(o.test(n.trim())?"paste.illegal":"paste.unknown")),{id:null,alone:!1};let e=n.trim();if(o.test(e)&&r.peek()!==null)return a(e),{id:null,alone:!1};let s=await k(t);return{id:s,alone:m.value?.find(g=>g.id===s)?.games===1}}var k=n=>f([new File([n],"pasted.pgn",{type:"application/x-chess-pgn"})]);export{c as a,d as b,E as c,k as d};
