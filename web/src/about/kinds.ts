/** What the kinds of pages are called. */

import type { About } from '../address';
import type { Key } from '../words';

const NAMES: Record<About['kind'], Key> = {
  player: 'stats.player',
  event: 'column.event',
  opening: 'about.opening',
  site: 'column.site',
  annotator: 'about.annotator',
};

export const kindName = (kind: About['kind']): Key => NAMES[kind];
