/** The first page: the library, and games with changes that no database holds yet. */

import { Drafts } from '../annotate/drafts';
import { Kept } from '../annotate/kept';
import { Library } from '../library/panel';

export function Home() {
  return (
    <Library>
      <Kept />
      <Drafts />
    </Library>
  );
}
