/** A game as a page of its own: it needs nothing else, and nothing in it is a script. */

import { DIAGRAMS, glyph } from '../moves/nags';
import { isFresh, numberOf, offsetOf, walkGame } from '../moves/walk';
import { language, shownSan } from '../words';
import { fenOf, tag } from './tree';
import type { Comment, Game, Node } from './tree';

const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as text, whatever signs it has; what no page may hold becomes a box. */
export const escaped = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd').replace(/[&<>"']/g, sign => SIGNS[sign] ?? sign);

const STYLE = `body{font:16px/1.6 Georgia,serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem;margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;font-size:.85rem;color:#555}dd{margin:0}
.v{color:#555}.v b{font-weight:400}.c{color:#2c5f8a}figure{margin:1rem 0}svg{max-width:18rem;height:auto}code{color:#a3271f}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}.v,dl{color:#aaa}.c{color:#7fb2dd}}`;

const comments = (all: Comment[]): string =>
  all.map(comment => (comment.text ? `<span class="c" dir="auto">${escaped(comment.text)}</span> ` : '')).join('');

/** The page; `picture` draws positions. */
export function pageOf(game: Game, picture: (fen: string) => string): string {
  const names = `${tag(game, 'White') || '?'} – ${tag(game, 'Black') || '?'}`;
  const offset = offsetOf(game);
  const parts: string[] = [];
  for (const step of walkGame(game, false, new Set())) {
    if (step.kind === 'close') parts.push(')</span> '.repeat(step.count));
    if (step.kind !== 'move') continue;
    const { node } = step;
    const { white, text } = numberOf(node, offset);
    if (node.index > 0) parts.push('<span class="v">(');
    parts.push(comments(node.before));
    if (white || isFresh(node)) parts.push(`${text} `);
    parts.push(`<b>${escaped(shownSan(node.san))}${escaped(node.nags.filter(nag => !DIAGRAMS.includes(nag)).map(glyph).join(''))}</b> `);
    parts.push(comments(node.comments), ...node.raw.map(raw => `<code>${escaped(raw)}</code> `));
    if (node.nags.some(nag => DIAGRAMS.includes(nag))) parts.push(figure(node, picture));
  }
  let last: Node = game.root;
  for (let at = last.children[0]; at; at = at.children[0]) last = at;
  const head = game.tags.map(([name, value]) => `<dt>${escaped(name)}</dt><dd dir="auto">${escaped(value)}</dd>`);
  return `<!doctype html>
<html lang="${language.value}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(names)}</title>
<style>${STYLE}</style>
<h1 dir="auto">${escaped(names)}</h1>
<dl>${head.join('')}</dl>
${game.root.fen && tag(game, 'FEN') ? `<figure>${picture(game.root.fen)}</figure>` : ''}
<div>${comments(game.root.comments)}${parts.join('')}<b>${escaped(game.result)}</b></div>
${figure(last, picture)}
</html>
`;
}

const figure = (node: Node, picture: (fen: string) => string): string => `<figure>${picture(fenOf(node))}</figure>`;
