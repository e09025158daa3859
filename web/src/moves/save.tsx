/** What a game can be taken home as: PGN, a page, a moving picture. */

import { addressOf, baseId, go, place } from '../address';
import * as board from '../board/store';
import { fenOf, lineTo } from '../game/tree';
import type { Game, Node } from '../game/tree';
import { save } from '../save';
import { Menu, MenuItem, MenuLink } from '../ui/menu';
import { t } from '../words';

/** Half-moves of a moving picture at most. */
const MOST = 600;

/** The line that the reader is in, from the start to its end. */
function lineOf(game: Game): Node[] {
  const line = lineTo(board.node.value ?? game.root);
  for (let at = (line[line.length - 1] ?? game.root).children[0]; at; at = at.children[0]) line.push(at);
  return line.slice(0, MOST);
}

export function Save() {
  const game = board.game.value;
  if (!game) return null;
  const base = baseId.value ?? '';
  const name = `game-${game.number}`;
  const flipped = board.flipped.value;
  // What draws and writes is fetched with the first wish.
  const page = async () => {
    const [{ pageOf }, { diagram }] = await Promise.all([import('../game/page'), import('../board/diagram')]);
    save(pageOf(game, fen => diagram(fen, flipped)), 'text/html;charset=utf-8', `${name}.html`);
  };
  const picture = async () => {
    const { moving } = await import('../board/diagram');
    save(moving([game.root, ...lineOf(game)].map(node => ({ fen: fenOf(node), uci: node.uci })), flipped), 'image/svg+xml', `${name}.svg`);
  };
  return (
    <Menu label={t('moves.save')}>
      <MenuLink href={`/api/v1/bases/${encodeURIComponent(base)}/games/${game.number}/pgn`} download={`${name}.pgn`}>
        PGN
      </MenuLink>
      <MenuItem onChoose={() => void page()}>{t('moves.page')}</MenuItem>
      <MenuItem onChoose={() => void picture()}>{t('moves.moving')}</MenuItem>
      <hr />
      <MenuItem onChoose={() => go({ base: null, game: null, path: '', query: '', sort: '', panel: 'repertoire', beside: addressOf({ ...place.peek(), panel: '', beside: '' }) })}>{t('repertoire.where')}</MenuItem>
    </Menu>
  );
}
