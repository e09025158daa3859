/** The games that are open, in a line above the workspace; one game alone needs no line. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { placeOf } from '../address';
import * as api from '../api';
import { Button } from '../ui/button';
import { Menu, MenuItem } from '../ui/menu';
import { Tabs } from '../ui/tabs';
import { t } from '../words';
import * as store from './tabs';
import type { GameTab } from './tabs';

const named = (tab: GameTab): string => {
  const { game } = placeOf(tab.address);
  return tab.title || (game === null ? t('games.title') : t('game.number', { n: game }));
};

/** Who plays in tabs that were opened behind the chosen one is asked once. */
function useTitles(): void {
  const asked = useSignal(new Set<string>());
  useEffect(() => {
    const control = new AbortController();
    for (const tab of store.tabs.value) {
      const { base, game } = placeOf(tab.address);
      if (tab.title || game === null || base === null || asked.peek().has(tab.address)) continue;
      asked.peek().add(tab.address);
      api.rows(base, game - 1, 1, control.signal).then(
        ({ rows: [row] }) => {
          if (row?.number !== game) return;
          const title = [row.white, row.black].map(name => name.split(',')[0] || '?').join(' – ');
          store.tabs.value = store.tabs.peek().map(one => (one.id === tab.id && !one.title ? { ...one, title } : one));
        },
        () => undefined,
      );
    }
  }, [store.tabs.value]);
}

export function Strip() {
  useTitles();
  const all = store.tabs.value;
  const others = all.filter(one => one.id !== store.chosen.value && placeOf(one.address).game !== null);
  if (all.length < 2) return null;
  return (
    <section aria-label={t('tabs.title')}>
    <Tabs
      class="strip"
      label={t('tabs.title')}
      tabs={all.map(tab => ({ id: tab.id, label: <bdi>{named(tab)}</bdi>, title: named(tab) }))}
      chosen={store.chosen.value}
      onChoose={store.chooseTab}
      onClose={store.closeTab}
    >
      <Button icon="close" kind="plain" label={t('tabs.close')} onClick={() => store.closeTab(store.chosen.value)} />
      {others.length > 0 && (
        <Menu label={t('tabs.beside')} icon="beside" alone>
          {() =>
            others.map(one => (
              <MenuItem key={one.id} onChoose={() => store.showBeside(one.address)}>
                <bdi>{named(one)}</bdi>
              </MenuItem>
            ))
          }
        </Menu>
      )}
    </Tabs>
    </section>
  );
}
