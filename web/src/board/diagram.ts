/** Diagrams: the position on the board as a picture of its own, in SVG or PNG. */

import { pieces } from './grid';

const FILES = 'abcdefgh';
const SIZE = 45;
const EDGE = 18;

/** The picture of a piece, as the page's own style sheet has it. */
function pictureOf(sign: string): string {
  const colour = sign === sign.toUpperCase() ? 'white' : 'black';
  const names: Record<string, string> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
  const host = document.createElement('div');
  host.className = 'cg-wrap';
  host.hidden = true;
  const piece = document.createElement('piece');
  piece.className = `${names[sign.toLowerCase()] ?? ''} ${colour}`;
  host.append(piece);
  document.body.append(host);
  const image = getComputedStyle(piece).backgroundImage;
  host.remove();
  return /url\("?(data:[^")]*)"?\)/.exec(image)?.[1] ?? '';
}

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The corner of a square in the picture. */
function cornerOf(square: string, flipped: boolean): [number, number] {
  const file = FILES.indexOf(square[0] ?? 'a');
  const rank = Number(square[1]) - 1;
  return [EDGE + (flipped ? 7 - file : file) * SIZE, (flipped ? rank : 7 - rank) * SIZE];
}

/** The board without pieces, with letters and numbers beside it; `signs` become pictures that are used by their signs. */
function frame(signs: Iterable<string>, flipped: boolean, ground = '#fff', ink = '#000'): string[] {
  const side = SIZE * 8;
  const [light, dark] = [colour('--square-light'), colour('--square-dark')];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side + EDGE} ${side + EDGE}" width="${side + EDGE}" height="${side + EDGE}">`,
    '<defs>',
    ...[...new Set(signs)].map(sign => `<image id="${pieceId(sign)}" width="${SIZE}" height="${SIZE}" href="${pictureOf(sign)}"/>`),
    `</defs><rect width="100%" height="100%" fill="${ground}"/>`,
  ];
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      const [x, y] = [EDGE + column * SIZE, row * SIZE];
      parts.push(`<rect x="${x}" y="${y}" width="${SIZE}" height="${SIZE}" fill="${(row + column) % 2 ? dark : light}"/>`);
    }
    const rank = flipped ? row + 1 : 8 - row;
    const file = FILES[flipped ? 7 - row : row];
    parts.push(
      `<text x="${EDGE / 2}" y="${row * SIZE + SIZE / 2 + 4}" font-family="sans-serif" font-size="12" fill="${ink}" text-anchor="middle">${rank}</text>`,
      `<text x="${EDGE + row * SIZE + SIZE / 2}" y="${side + 13}" font-family="sans-serif" font-size="12" fill="${ink}" text-anchor="middle">${file}</text>`,
    );
  }
  return parts;
}

/** The name of a piece's picture: small and capital letters are the same in some readers. */
const pieceId = (sign: string): string => `${sign === sign.toUpperCase() ? 'w' : 'b'}${sign.toLowerCase()}`;

const placed = (fen: string, flipped: boolean): string =>
  [...pieces(fen)]
    .map(([square, sign]) => {
      const [x, y] = cornerOf(square, flipped);
      return `<use href="#${pieceId(sign)}" x="${x}" y="${y}"/>`;
    })
    .join('');

/** The diagram of a position. Nothing of a game's text is in it. */
export function diagram(fen: string, flipped: boolean): string {
  return [...frame(pieces(fen).values(), flipped), placed(fen, flipped), '</svg>'].join('');
}

/** The same in the colours of the page. */
export function pageDiagram(fen: string): string {
  return [...frame(pieces(fen).values(), false, colour('--ground'), colour('--quiet')), placed(fen, false), '</svg>'].join('');
}

/** Seconds for each position of a moving picture, and for the last one. */
const PACE = 1.2;
const REST = 4;

/** Positions as one moving picture, over and over; the squares of each move are marked. */
export function moving(positions: { fen: string; uci: string }[], flipped: boolean): string {
  const whole = positions.length * PACE + REST;
  const parts = frame(positions.flatMap(({ fen }) => [...pieces(fen).values()]), flipped);
  positions.forEach(({ fen, uci }, at) => {
    const from = (at * PACE) / whole;
    const to = at + 1 === positions.length ? 1 : ((at + 1) * PACE) / whole;
    const marks = /^[a-h][1-8][a-h][1-8]/.test(uci) ? [uci.slice(0, 2), uci.slice(2, 4)] : [];
    // A frame is seen between two times; the first one begins at once, and the last one ends with the picture.
    const times = [...(at === 0 ? [] : [['0', 'hidden']]), [from.toFixed(5), 'visible'], ...(to === 1 ? [] : [[to.toFixed(5), 'hidden']])];
    parts.push(
      `<g visibility="hidden"><animate attributeName="visibility" calcMode="discrete" dur="${whole}s" repeatCount="indefinite" `,
      `keyTimes="${times.map(([time]) => (at === 0 && time === '0.00000' ? '0' : time)).join(';')}" values="${times.map(([, value]) => value).join(';')}"/>`,
      ...marks.map(square => {
        const [x, y] = cornerOf(square, flipped);
        return `<rect x="${x}" y="${y}" width="${SIZE}" height="${SIZE}" fill="#9bc700" fill-opacity="0.41"/>`;
      }),
      placed(fen, flipped),
      '</g>',
    );
  });
  parts.push('</svg>');
  return parts.join('');
}

/** The same in pixels. */
export async function png(svg: string, width: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = width;
  canvas.getContext('2d')?.drawImage(image, 0, 0, width, width);
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('PNG'))), 'image/png'),
  );
}
