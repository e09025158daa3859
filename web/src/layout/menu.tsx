/** What is seen of the workspace: layouts for each use, and the panes one by one. */

import { Menu, MenuItem } from '../ui/menu';
import { t } from '../words';
import type { Key } from '../words';
import * as store from './store';

const NAMES: Record<store.Pane, Key> = { list: 'games.title', moves: 'moves.title', engine: 'engine.title', explorer: 'explorer.title' };

export function LayoutMenu() {
  return (
    <Menu label={t('layout.title')} icon="layout" alone>
      {() => (
        <>
          {store.PRESETS.map(name => (
            <MenuItem key={name} checked={store.preset.value === name} onChoose={() => (store.preset.value = name)}>
              {t(`layout.${name}` as Key)}
            </MenuItem>
          ))}
          <hr />
          {store.PANES.map(name => (
            <MenuItem key={name} checked={store.isShown(name)} onChoose={() => store.toggle(name)}>
              {t(NAMES[name])}
            </MenuItem>
          ))}
        </>
      )}
    </Menu>
  );
}
