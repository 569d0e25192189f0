// The API reference as one self-contained page: no external assets, no inline handlers, everything shown as text. It reads /openapi.json in the browser.

const STYLE = `
:root{color-scheme:light dark;--fg:#1c1f24;--dim:#5f6875;--bg:#fff;--line:#e2e5ea;--soft:#f6f7f9;--accent:#2757d6}
@media(prefers-color-scheme:dark){:root{--fg:#e6e8ec;--dim:#9aa3af;--bg:#15171b;--line:#2b2f37;--soft:#1d2026;--accent:#7ea2ff}}
*{box-sizing:border-box}body{margin:0;font:15px/1.55 system-ui,sans-serif;color:var(--fg);background:var(--bg);display:grid;grid-template-columns:250px minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:20px;border-right:1px solid var(--line);background:var(--soft)}
nav h1{font-size:16px;margin:0 0 2px}nav a{display:block;color:inherit;text-decoration:none;padding:2px 0}nav a:hover{color:var(--accent)}
main{padding:28px 40px;max-width:980px}main a{color:var(--accent)}h2{margin:36px 0 8px;font-size:20px}
input{width:100%;padding:6px 8px;margin:10px 0;border:1px solid var(--line);border-radius:6px;background:var(--bg);color:inherit;font:inherit}
details{border:1px solid var(--line);border-radius:8px;margin:6px 0}summary{cursor:pointer;padding:8px 12px;display:flex;gap:10px;align-items:baseline;flex-wrap:wrap}
summary code{font-weight:600;overflow-wrap:anywhere}summary span{color:var(--dim)}.body{padding:2px 16px 14px;border-top:1px solid var(--line)}
.m{font:600 12px ui-monospace,monospace;min-width:56px;color:var(--accent)}.dim{color:var(--dim)}code,pre{font:13px/1.5 ui-monospace,monospace}
pre{background:var(--soft);padding:10px 12px;border-radius:6px;overflow:auto;max-height:420px;margin:6px 0}
table{border-collapse:collapse;width:100%;margin:6px 0}td{padding:4px 10px 4px 0;vertical-align:top;border-top:1px solid var(--line)}h4{margin:14px 0 2px}
[hidden]{display:none!important}@media(max-width:760px){body{display:block}nav{position:static;height:auto;border:0}main{padding:16px}}`;

const SCRIPT = `
const el=(tag,props,...kids)=>{const node=Object.assign(document.createElement(tag),props);node.append(...kids.filter((kid)=>kid!=null));return node};
const main=document.querySelector('main'),links=document.querySelector('#links'),search=document.querySelector('#search');
const refName=(schema)=>schema&&schema.$ref?schema.$ref.split('/').pop():undefined;
const typeOf=(schema)=>!schema?'':refName(schema)||(schema.oneOf?schema.oneOf.map(typeOf).join(' | '):schema.type==='array'?typeOf(schema.items)+'[]':schema.enum?schema.enum.join(' | '):schema.type||'any');
const spans=(text)=>(text||'').split('\`').map((part,i)=>i%2?el('code',{textContent:part}):part);
const prose=(text)=>el('p',{},...spans(text));
const row=(name,type,text)=>el('tr',{},el('td',{},el('code',{textContent:name})),el('td',{className:'dim',textContent:type}),el('td',{},...spans(text)));
const shape=(schema)=>{const name=refName(schema)||refName(schema&&schema.items);return name?el('a',{href:'#schema-'+name,textContent:typeOf(schema)}):el('code',{textContent:typeOf(schema)})};
const content=(part)=>Object.entries(part.content||{}).map(([type,media])=>el('div',{},el('span',{className:'dim',textContent:type+' '}),shape(media.schema)));
function operation(path,method,op){
  const parts=[prose(op.description)];
  if(op.parameters)parts.push(el('h4',{textContent:'Parameters'}),el('table',{},...op.parameters.map((p)=>row(p.name,p.in+' '+typeOf(p.schema),p.description))));
  if(op.requestBody)parts.push(el('h4',{textContent:'Body'}),prose(op.requestBody.description),...content(op.requestBody));
  parts.push(el('h4',{textContent:'Answers'}),el('table',{},...Object.entries(op.responses).map(([status,r])=>r.$ref?row(status,'error',refName(r)):el('tr',{},el('td',{},el('code',{textContent:status})),el('td',{},...content(r)),el('td',{textContent:r.description})))));
  const node=el('details',{id:op.operationId},el('summary',{},el('span',{className:'m',textContent:method.toUpperCase()}),el('code',{textContent:path}),el('span',{textContent:op.summary})),el('div',{className:'body'},...parts));
  node.dataset.text=(method+' '+path+' '+op.summary).toLowerCase();
  return node;
}
function show(doc){
  const groups=new Map(doc.tags.map((tag)=>[tag.name,[prose(tag.description)]]));
  for(const [path,methods] of Object.entries(doc.paths))for(const [method,op] of Object.entries(methods))groups.get(op.tags[0]).push(operation(path,method,op));
  main.replaceChildren(prose(doc.info.description),...[...groups].map(([tag,ops])=>el('section',{id:'tag-'+tag},el('h2',{textContent:tag}),...ops)),
    el('section',{id:'schemas'},el('h2',{textContent:'Schemas'}),...Object.entries(doc.components.schemas).map(([name,schema])=>{
      const node=el('details',{id:'schema-'+name},el('summary',{},el('code',{textContent:name}),el('span',{textContent:schema.description||''})));
      node.addEventListener('toggle',()=>{if(node.open&&!node.querySelector('pre'))node.append(el('pre',{textContent:JSON.stringify(schema,null,2)}))});
      node.dataset.text=name.toLowerCase();return node})));
  links.replaceChildren(...[...groups.keys(),'Schemas'].map((tag)=>el('a',{href:tag==='Schemas'?'#schemas':'#tag-'+tag,textContent:tag})));
  document.querySelector('#version').textContent=doc.info.version;
  const reveal=()=>{const node=[...main.querySelectorAll('[id]')].find((each)=>new URL('#'+each.id,location.href).hash===location.hash);if(node){node.open=true;node.scrollIntoView()}};
  addEventListener('hashchange',reveal);reveal();
}
search.addEventListener('input',()=>{const text=search.value.toLowerCase();
  for(const node of main.querySelectorAll('details'))node.hidden=!node.dataset.text.includes(text);
  for(const part of main.querySelectorAll('section'))part.hidden=![...part.querySelectorAll('details')].some((node)=>!node.hidden)});
async function load(token){
  const answer=await fetch('openapi.json',token?{headers:{authorization:'Bearer '+token}}:{});
  if(answer.ok)return show(await answer.json());
  if(answer.status!==401)return main.replaceChildren(el('p',{textContent:'The description cannot be read: status '+answer.status}));
  const field=el('input',{type:'password',placeholder:'API token',autocomplete:'off'});field.setAttribute('aria-label','API token');
  field.addEventListener('change',()=>load(field.value.trim()));
  main.replaceChildren(el('p',{textContent:token?'That token is not valid.':'This server requires a token. It stays in this page.'}),field);field.focus();
}
load().catch(()=>main.replaceChildren(el('p',{textContent:'The server does not answer.'})));`;

/** `nonce` must be the one in the answer's Content-Security-Policy. */
export function docsPage(nonce: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API reference</title>
<style nonce="${nonce}">${STYLE}</style></head>
<body><nav><h1>API reference</h1><span class="dim" id="version"></span><input id="search" type="search" placeholder="Filter" aria-label="Filter"><div id="links"></div></nav>
<main><p>Loading…</p></main>
<script nonce="${nonce}">${SCRIPT}</script></body></html>
`;
}
