import{a as b}from"./chunk-Z3OMNO2Y.js";import{c as p,e as g,f as h,g as $}from"./chunk-RKBXBJX6.js";import{f as u,h as a}from"./chunk-AH4FL4OT.js";import"./chunk-RQOSAPJI.js";import{p as l,v as m}from"./chunk-7NS53OK5.js";var G={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;"},r=t=>t.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g,"�").replace(/[&<>"']/g,o=>G[o]??o),N=`body{font:16px/1.6 Georgia,serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem;margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;font-size:.85rem;color:#555}dd{margin:0}
.v{color:#555}.v b{font-weight:400}.c{color:#2c5f8a}figure{margin:1rem 0}svg{max-width:18rem;height:auto}code{color:#a3271f}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}.v,dl{color:#aaa}.c{color:#7fb2dd}}`,d=t=>t.map(o=>o.text?`<span class="c" dir="auto">${r(o.text)}</span> `:"").join(""),v=[220,221];function z(t,o){let f=`${a(t,"White")||"?"} – ${a(t,"Black")||"?"}`,y=h(t),s=[];for(let n of p(t,!1,new Set)){if(n.kind==="close"&&s.push(")</span> ".repeat(n.count)),n.kind!=="move")continue;let{node:e}=n,{white:k,text:S}=$(e,y);e.index>0&&s.push('<span class="v">('),s.push(d(e.before)),(k||g(e))&&s.push(`${S} `),s.push(`<b>${r(m(e.san))}${r(e.nags.filter(i=>!v.includes(i)).map(b).join(""))}</b> `),s.push(d(e.comments),...e.raw.map(i=>`<code>${r(i)}</code> `)),e.nags.some(i=>v.includes(i))&&s.push(w(e,o))}let c=t.root;for(let n=c.children[0];n;n=n.children[0])c=n;let x=t.tags.map(([n,e])=>`<dt>${r(n)}</dt><dd dir="auto">${r(e)}</dd>`);return`<!doctype html>
<html lang="${l.value}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${r(f)}</title>
<style>${N}</style>
<h1 dir="auto">${r(f)}</h1>
<dl>${x.join("")}</dl>
${t.root.fen&&a(t,"FEN")?`<figure>${o(t.root.fen)}</figure>`:""}
<div>${d(t.root.comments)}${s.join("")}<b>${r(t.result)}</b></div>
${w(c,o)}
</html>
`}var w=(t,o)=>`<figure>${o(u(t))}</figure>`;export{r as escaped,z as pageOf};
