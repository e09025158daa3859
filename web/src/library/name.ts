/** The names of bases for people. */

import type { Base } from '../api';
import { t } from '../words';

type Named = Pick<Base, 'id' | 'name' | 'path' | 'clipboard'>;

export const nameOf = (base: Named): string => (base.clipboard ? t('clipboard.title') : base.name);

/** The folders of a path, the last one first. */
const foldersOf = (path: string): string[] => path.split(/[/\\]/).slice(0, -1).reverse();

/** Where a base lies, as far as that tells it from others of its name: the last folders of its path that no other one has so. */
export function whereOf(base: Named, all: readonly Named[]): string {
  const others = all.filter(one => one.id !== base.id && nameOf(one) === nameOf(base));
  if (others.length === 0 || base.path === '') return '';
  const own = foldersOf(base.path);
  const theirs = others.map(one => foldersOf(one.path));
  for (let count = 1; count < own.length; count++) {
    const isAlone = theirs.every(folders => folders.slice(0, count).join('/') !== own.slice(0, count).join('/'));
    if (isAlone) return own.slice(0, count).reverse().join('/');
  }
  return own.reverse().join('/');
}

/** The name, and where it lies where another base has the same name. */
export function titleOf(base: Named, all: readonly Named[]): string {
  const where = whereOf(base, all);
  return where === '' ? nameOf(base) : `${nameOf(base)} (${where})`;
}
