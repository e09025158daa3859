/** Diagrams: the position on the board as a picture of its own, in SVG or PNG. */

import { pieces } from './grid';

const FILES = 'abcdefgh';
const SIZE = 45;
const EDGE = 18;

/** The picture of a man, as the page's own style sheet has it. */
function pictureOf(sign: string): string {
  const colour = sign === sign.toUpperCase() ? 'white' : 'black';
  const names: Record<string, string> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
  const host = document.createElement('div');
  host.className = 'cg-wrap';
  host.hidden = true;
  const man = document.createElement('piece');
  man.className = `${names[sign.toLowerCase()] ?? ''} ${colour}`;
  host.append(man);
  document.body.append(host);
  const image = getComputedStyle(man).backgroundImage;
  host.remove();
  return /url\("?(data:[^")]*)"?\)/.exec(image)?.[1] ?? '';
}

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The diagram of a position. Nothing of a game's text is in it. */
export function diagram(fen: string, flipped: boolean): string {
  const side = SIZE * 8;
  const [light, dark] = [colour('--square-light'), colour('--square-dark')];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side + EDGE} ${side + EDGE}" width="${side + EDGE}" height="${side + EDGE}">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
  ];
  const men = pieces(fen);
  const pictures = new Map([...new Set(men.values())].map(sign => [sign, pictureOf(sign)]));
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      const [file, rank] = flipped ? [7 - column, row + 1] : [column, 8 - row];
      const [x, y] = [EDGE + column * SIZE, row * SIZE];
      parts.push(`<rect x="${x}" y="${y}" width="${SIZE}" height="${SIZE}" fill="${(row + column) % 2 ? dark : light}"/>`);
      const sign = men.get(`${FILES[file]}${rank}`);
      const picture = sign && pictures.get(sign);
      if (picture) parts.push(`<image x="${x}" y="${y}" width="${SIZE}" height="${SIZE}" href="${picture}"/>`);
    }
    const rank = flipped ? row + 1 : 8 - row;
    const file = FILES[flipped ? 7 - row : row];
    parts.push(
      `<text x="${EDGE / 2}" y="${row * SIZE + SIZE / 2 + 4}" font-family="sans-serif" font-size="12" text-anchor="middle">${rank}</text>`,
      `<text x="${EDGE + row * SIZE + SIZE / 2}" y="${side + 13}" font-family="sans-serif" font-size="12" text-anchor="middle">${file}</text>`,
    );
  }
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
