import{c as h,e as $,f as b,g as v}from"./chunk-MLFONZRX.js";import{a as g,c as d}from"./chunk-TNJUHOT5.js";import{f as p,h as a}from"./chunk-AH4FL4OT.js";import"./chunk-RQOSAPJI.js";import{q as m,x as u}from"./chunk-2TYZFJE4.js";var G={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;"},r=t=>t.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g,"�").replace(/[&<>"']/g,o=>G[o]??o),N=`body{font:16px/1.6 Georgia,serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem;margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;font-size:.85rem;color:#555}dd{margin:0}
.v{color:#555}.v b{font-weight:400}.c{color:#2c5f8a}figure{margin:1rem 0}svg{max-width:18rem;height:auto}code{color:#a3271f}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}.v,dl{color:#aaa}.c{color:#7fb2dd}}`,f=t=>t.map(o=>o.text?`<span class="c" dir="auto">${r(o.text)}</span> `:"").join("");function z(t,o){let l=`${a(t,"White")||"?"} – ${a(t,"Black")||"?"}`,y=b(t),s=[];for(let n of h(t,!1,new Set)){if(n.kind==="close"&&s.push(")</span> ".repeat(n.count)),n.kind!=="move")continue;let{node:e}=n,{white:k,text:S}=v(e,y);e.index>0&&s.push('<span class="v">('),s.push(f(e.before)),(k||$(e))&&s.push(`${S} `),s.push(`<b>${r(u(e.san))}${r(e.nags.filter(i=>!d.includes(i)).map(g).join(""))}</b> `),s.push(f(e.comments),...e.raw.map(i=>`<code>${r(i)}</code> `)),e.nags.some(i=>d.includes(i))&&s.push(w(e,o))}let c=t.root;for(let n=c.children[0];n;n=n.children[0])c=n;let x=t.tags.map(([n,e])=>`<dt>${r(n)}</dt><dd dir="auto">${r(e)}</dd>`);return`<!doctype html>
<html lang="${m.value}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${r(l)}</title>
<style>${N}</style>
<h1 dir="auto">${r(l)}</h1>
<dl>${x.join("")}</dl>
${t.root.fen&&a(t,"FEN")?`<figure>${o(t.root.fen)}</figure>`:""}
<div>${f(t.root.comments)}${s.join("")}<b>${r(t.result)}</b></div>
${w(c,o)}
</html>
`}var w=(t,o)=>`<figure>${o(p(t))}</figure>`;export{r as escaped,z as pageOf};
