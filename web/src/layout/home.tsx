/** The first page: the library, and games with changes that no database holds yet. */

import { Drafts } from '../annotate/drafts';
import { Kept } from '../annotate/kept';
import { later } from '../later';
import { Library } from '../library/panel';

/** What is due is asked for where somebody has a repertoire. */
const Due = later(async () => (await import('../repertoire/due')).Due, null);

export function Home() {
  return (
    <Library>
      {localStorage.getItem('repertoires') !== null && <Due />}
      <Kept />
      <Drafts />
    </Library>
  );
}
