/** What is done with the position on the board: set up another one, look for it, take a picture of it. */

import { Grid3x3 } from 'lucide';
import { go } from '../address';
import { dialog } from '../dialog';
import { save } from '../save';
import { Menu, MenuItem } from '../ui/menu';
import { toast } from '../ui/toast';
import { t } from '../words';
import * as store from './store';

/** The picture of the position; what draws it is fetched with the first one. */
const picture = async () => {
  const drawing = await import('./diagram');
  return { ...drawing, svg: drawing.diagram(store.fen.value, store.flipped.value) };
};

export function Tools() {
  const acts = [
    { label: 'board.edit', act: () => dialog('editor') },
    { label: 'board.find', act: () => go({ query: `position:"${store.fen.value}"`, game: null, path: '' }) },
    { label: 'board.copy', act: () => void navigator.clipboard?.writeText(store.fen.value).then(() => toast(t('board.copied')), () => undefined) },
    { label: 'board.svg', act: () => void picture().then(({ svg }) => save(svg, 'image/svg+xml', 'diagram.svg')) },
    { label: 'board.png', act: () => void picture().then(({ svg, png }) => png(svg, 1024)).then(blob => save(blob, 'image/png', 'diagram.png')) },
    { label: 'board.print', act: () => print() },
  ] as const;
  return (
    <Menu label={t('board.position')} icon={Grid3x3}>
      {acts.map(one => (
        <MenuItem key={one.label} onChoose={one.act}>
          {t(one.label)}
        </MenuItem>
      ))}
    </Menu>
  );
}
