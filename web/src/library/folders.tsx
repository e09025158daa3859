/** The folders within which databases may be opened, as a tree: whoever looks for a database need not know its path. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, queryString } from '../api';
import type { FolderAnswer, FolderDatabaseAnswer, FolderWindowAnswer, FolderWindowDatabaseAnswer } from '../answers';
import { PLAIN, go } from '../address';
import { Tree } from '../ui/tree';
import type { Branch } from '../ui/tree';
import { language, t } from '../words';
import * as store from './store';

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes for people. */
export function sizeOf(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const format = { style: 'unit', unit: UNITS[step] ?? 'byte', unitDisplay: 'short', maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(language.value, format).format(bytes / 1000 ** step);
}

function Database({ of: { name, format, bytes, base } }: { of: FolderDatabaseAnswer }) {
  return (
    <>
      <bdi>{name}</bdi>{' '}
      <span class="quiet">
        {[format ?? '', bytes > 0 ? sizeOf(bytes) : '', base === null ? '' : t('folders.open')].filter(Boolean).join(' · ')}
      </span>
    </>
  );
}

/** Why a database that ChessBase lists is no link. */
const AWAY = { cloud: 'folders.window.cloud', network: 'folders.window.network' } as const;

const awayOf = ({ path, place }: FolderWindowDatabaseAnswer): string =>
  path === null ? t(place === 'cloud' || place === 'network' ? AWAY[place] : 'folders.window.missing') : '';

function Listed({ of }: { of: FolderWindowDatabaseAnswer }) {
  const { title, format, games, reference, base } = of;
  const told = [
    format ?? '',
    games === null ? '' : t('games', { n: games }),
    reference ? t('folders.window.reference') : '',
    base === null ? '' : t('folders.open'),
    awayOf(of),
  ];
  return (
    <>
      <bdi>{title}</bdi> <span class="quiet">{told.filter(Boolean).join(' · ')}</span>
    </>
  );
}

/** The names of branches that are no paths: no path begins like this. */
const idOf = (folder: string | null, what: string): string => `\n${folder ?? ''}\n${what}`;

/** What the window of ChessBase shows, as one branch of its folder; what can be opened is noted with its path. */
function windowOf(folder: string | null, { databases, whole, trouble }: FolderWindowAnswer, paths: Map<string, string>): Branch {
  const children = databases.map((one, at): Branch => {
    const id = idOf(folder, `window ${at}`);
    if (one.path !== null) paths.set(id, one.path);
    return { id, label: <Listed of={one} /> };
  });
  const quiet = (what: string, words: string): Branch => ({ id: idOf(folder, what), label: <span class="quiet">{words}</span> });
  if (trouble !== null) children.push(quiet('trouble', trouble));
  else if (!whole) children.push(quiet('window more', t('folders.window.more')));
  else if (children.length === 0) children.push(quiet('window empty', t('folders.empty')));
  return { id: idOf(folder, 'window'), label: <bdi>ChessBase</bdi>, children };
}

export function Folders() {
  const known = useSignal<ReadonlyMap<string, FolderAnswer>>(new Map());
  const trouble = useSignal<string | null>(null);
  const fetch = async (path: string) => {
    trouble.value = null;
    try {
      const told = await ask<FolderAnswer>(`folders?${queryString({ path })}`);
      known.value = new Map([...known.peek(), [path, told]]);
    } catch (error) {
      trouble.value = words(error);
    }
  };
  // What is open now is marked so.
  const opened = store.bases.value?.length ?? 0;
  useEffect(() => {
    for (const path of ['', ...[...known.peek().keys()].filter(Boolean)]) void fetch(path);
  }, [opened]);
  // Databases that are listed by name: one that lies in the folder as well has two branches.
  const paths = new Map<string, string>();
  const branchesOf = (told: FolderAnswer): Branch[] => [
    ...told.folders.map(({ name, path }): Branch => {
      const inside = known.value.get(path);
      // One of whom everything is shown by its name stands for itself.
      return { id: path, label: told.path === null ? <bdi>{path}</bdi> : <bdi>{name}</bdi>, children: inside ? branchesOf(inside) : null };
    }),
    ...told.databases.map((one): Branch => ({ id: one.path, label: <Database of={one} /> })),
    ...(told.window === null ? [] : [windowOf(told.path, told.window, paths)]),
    ...(told.whole ? [] : [{ id: idOf(told.path, 'more'), label: <span class="quiet">{t('folders.more')}</span> }]),
    ...(told.folders.length + told.databases.length > 0 || told.window !== null ? [] : [{ id: idOf(told.path, 'empty'), label: <span class="quiet">{t('folders.empty')}</span> }]),
  ];
  const choose = (id: string) => {
    const path = id.startsWith('\n') ? paths.get(id) : id;
    if (path === undefined) return;
    void store.open(path).then(base => {
      if (base !== null) go({ ...PLAIN, base });
    });
  };
  const top = known.value.get('');
  return (
    <section class="folders" aria-label={t('folders.title')}>
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {top ? (
        top.folders.length + top.databases.length === 0 ? (
          <p class="quiet">{t('folders.none')}</p>
        ) : (
          <Tree label={t('folders.title')} branches={branchesOf(top)} chosen={null} onChoose={choose} onOpen={path => void fetch(path)} opensChosen />
        )
      ) : (
        trouble.value === null && <p class="quiet">{t('loading')}</p>
      )}
    </section>
  );
}
