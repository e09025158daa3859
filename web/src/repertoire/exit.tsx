/** Where a game left a repertoire, in words, with the way to the position. */

import { baseId, go } from '../address';
import type { RepertoireGameAnswer } from '../answers';
import { shownSan } from '../words';
import * as store from './store';
import { r } from './words';

const sans = (text: string): string =>
  text
    .split(' ')
    .map(word => word.replace(/^(\d+\.+)?(.*)$/, (_, number: string | undefined, san: string) => (number ?? '').replace('...', '…') + shownSan(san)))
    .join(' ');

export function Exit({ of, base }: { of: RepertoireGameAnswer; base: string }) {
  const { end, fen, expected } = of;
  const there = () => {
    if (fen === null) return;
    if (baseId.peek() === base) store.show('', fen);
    else go({ base, game: null, path: '', query: '', sort: '', panel: 'repertoire', fen });
  };
  const words = end === 'inside' ? r('end.inside') : r(`end.${end}`);
  return (
    <span class={`exit ${end}`}>
      {fen === null ? (
        words
      ) : (
        <button class="button plain" onClick={there}>
          {words}
        </button>
      )}
      {of.then !== '' && <span class="quiet"> {sans(of.then)}</span>}
      {of.marked_bad && <span class="quiet"> · {r('marked.bad')}</span>}
      {end !== 'inside' && expected.length > 0 && (
        <>
          {' · '}
          {r('end.expected', { moves: expected.map(shownSan).join(', ') })}
        </>
      )}
    </span>
  );
}
