/** All parts of the design system on one page, so that each theme can be looked at and compared. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { START } from '../game/tree';
import { theme, THEMES } from '../settings/store';
import { t } from '../words';
import type { Key } from '../words';
import { Button } from './button';
import { Dialog } from './dialog';
import { Field } from './field';
import { ICON_NAMES, Icon } from './icon';
import { Menu, MenuItem, Popup } from './menu';
import { Position } from './position';
import { Progress } from './progress';
import { Splitter } from './splitter';
import { Table } from './table';
import { Tabs } from './tabs';
import { toast } from './toast';
import { Tree } from './tree';

/** One part under its name in the code. */
function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-labelledby={`part-${name}`} data-part={name}>
      <h2 id={`part-${name}`}>
        <code>{name}</code>
      </h2>
      {children}
    </section>
  );
}

const BRANCHES = [
  {
    id: 'a',
    label: 'A',
    children: [
      { id: 'a1', label: 'A00' },
      { id: 'a2', label: 'A01', children: [{ id: 'a21', label: 'A01.1' }] },
    ],
  },
  { id: 'b', label: 'B' },
];

const ROWS = [
  { name: '1. e4', games: 120, elo: 2410 },
  { name: '1. d4', games: 90, elo: 2455 },
];

export function Gallery() {
  const tab = useSignal('one');
  const share = useSignal(0.4);
  const branch = useSignal<string | null>(null);
  const sorted = useSignal({ key: 'games', isDown: true });
  const checked = useSignal(true);
  const text = useSignal('');
  const rows = [...ROWS].sort((a, b) => (sorted.value.isDown ? 1 : -1) * (sorted.value.key === 'elo' ? b.elo - a.elo : b.games - a.games));
  return (
    <main class="gallery library" id="main">
      <h1>
        <code>/ui</code>
      </h1>
      <p class="row" role="group" aria-label={t('settings.theme')}>
        {THEMES.map(one => (
          <Button key={one} aria-pressed={theme.value === one} onClick={() => (theme.value = one)}>
            {t(`theme.${one}` as Key)}
          </Button>
        ))}
      </p>
      <div class="parts">
        <Part name="Button">
          <p class="row">
            <Button>{t('show')}</Button>
            <Button kind="main" icon="save">
              {t('moves.save')}
            </Button>
            <Button kind="plain">{t('hide')}</Button>
            <Button icon="flip" label={t('board.flip')} />
            <Button aria-pressed="true">{t('engine.threat')}</Button>
            <Button disabled>{t('cancel')}</Button>
          </p>
        </Part>
        <Part name="Icon">
          <p class="row">
            {ICON_NAMES.map(name => (
              <Icon key={name} name={name} />
            ))}
          </p>
        </Part>
        <Part name="Menu">
          <Menu label={t('moves.save')}>
            <MenuItem>PGN</MenuItem>
            <MenuItem checked={checked.value} onChoose={() => (checked.value = !checked.value)}>
              {t('moves.columns')}
            </MenuItem>
            <MenuItem disabled>{t('cancel')}</MenuItem>
          </Menu>{' '}
          <Popup label={t('games.columns')}>
            <label>
              <input type="checkbox" /> {t('column.elo')}
            </label>
          </Popup>
        </Part>
        <Part name="Dialog">
          <Button onClick={() => document.querySelector<HTMLDialogElement>('#gallery-dialog')?.showModal()}>{t('settings.title')}…</Button>
          <Dialog id="gallery-dialog" title={t('settings.title')}>
            <p>{t('edit.same')}</p>
          </Dialog>
        </Part>
        <Part name="Tabs">
          <Tabs
            label={t('tabs.title')}
            tabs={['one', 'two', 'three'].map((id, at) => ({ id, label: t('game.number', { n: at + 1 }) }))}
            chosen={tab.value}
            onChoose={id => (tab.value = id)}
          />
        </Part>
        <Part name="Splitter">
          <div class="halves" style={{ '--share': String(share.value) }}>
            <div id="gallery-pane" />
            <Splitter
              label={t('layout.width', { pane: t('games.title') })}
              controls="gallery-pane"
              orientation="vertical"
              value={share.value}
              least={0.1}
              most={0.9}
              usual={0.4}
              onChange={value => (share.value = value)}
            />
            <div />
          </div>
        </Part>
        <Part name="Field">
          <Field label={t('column.elo')} hint="2400-2900" value={text.value} onInput={value => (text.value = value)} />
          <Field label={t('column.date')} wrong={t('setup.wrong')} value="8/8" />
        </Part>
        <Part name="Tooltip">
          <Button icon="help" label={t('help.title')} />
        </Part>
        <Part name="Toast">
          <Button onClick={() => toast(t('edit.saved'), { label: t('edit.undo'), do: () => undefined })}>{t('show')}</Button>
        </Part>
        <Part name="Table">
          <Table
            caption={t('explorer.title')}
            columns={[
              { key: 'name', label: t('explorer.move'), isName: true, show: row => row.name },
              { key: 'games', label: t('explorer.games'), isFigure: true, show: row => row.games },
              { key: 'elo', label: t('column.elo'), isFigure: true, show: row => row.elo },
            ]}
            rows={rows}
            keyOf={row => row.name}
            sorted={sorted.value}
            onSort={key => (sorted.value = { key, isDown: sorted.value.key === key ? !sorted.value.isDown : true })}
          />
        </Part>
        <Part name="Tree">
          <Tree label={t('column.eco')} branches={BRANCHES} chosen={branch.value} onChoose={id => (branch.value = id)} />
        </Part>
        <Part name="Progress">
          <Progress label={t('working')} done={3} total={10} onStop={() => undefined} />
        </Part>
        <Part name="Position">
          <div class="small">
            <Position fen={START} last="e2e4" label={t('board.title')} />
          </div>
        </Part>
      </div>
    </main>
  );
}
