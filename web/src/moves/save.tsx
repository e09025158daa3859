/** What a game can be taken home as: PGN, a page, a moving picture. */

import * as board from '../board/store';
import { fenOf, lineTo } from '../game/tree';
import type { Game, Node } from '../game/tree';
import { save } from '../save';
import { t } from '../words';

/** Half-moves of a moving picture at most. */
const MOST = 600;

/** The line that the reader is in, from the start to its end. */
function lineOf(game: Game): Node[] {
  const line = lineTo(board.node.value ?? game.root);
  for (let at = (line[line.length - 1] ?? game.root).children[0]; at; at = at.children[0]) line.push(at);
  return line.slice(0, MOST);
}

export function Save({ game, base }: { game: Game; base: string }) {
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest('details')?.removeAttribute('open');
  const name = `game-${game.number}`;
  const flipped = board.flipped.value;
  const page = async () => {
    const [{ pageOf }, { diagram }] = await Promise.all([import('../game/page'), import('../board/diagram')]);
    return pageOf(game, fen => diagram(fen, flipped));
  };
  const picture = async () => (await import('../board/diagram')).moving([game.root, ...lineOf(game)].map(node => ({ fen: fenOf(node), uci: node.uci })), flipped);
  return (
    <details class="menu">
      <summary>{t('moves.save')}</summary>
      <ul>
        <li>
          <a href={`/api/v1/bases/${encodeURIComponent(base)}/games/${game.number}/pgn`} download={`${name}.pgn`} onClick={close}>
            PGN
          </a>
        </li>
        <li>
          <button
            onClick={event => {
              close(event);
              void page().then(text => save(text, 'text/html;charset=utf-8', `${name}.html`));
            }}
          >
            {t('moves.page')}
          </button>
        </li>
        <li>
          <button
            onClick={event => {
              close(event);
              void picture().then(text => save(text, 'image/svg+xml', `${name}.svg`));
            }}
          >
            {t('moves.moving')}
          </button>
        </li>
      </ul>
    </details>
  );
}
