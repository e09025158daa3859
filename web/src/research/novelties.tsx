/** Novelties: where games leave what was played before them, those that followed it longest first. */

import { useSignal } from '@preact/signals';
import { queryString } from '../api';
import { baseId, query } from '../address';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { number, shownSan, t } from '../words';
import { useAnswer } from './asking';
import { Asked, GameLink, Said, Shown } from './parts';
import type { NoveltiesAnswer } from '../answers';

type Told = NoveltiesAnswer;

/** Moves that are shown of those that were played before. */
const SHOWN = 4;

const moveOf = (ply: number | null, san: string | null): string =>
  ply === null || san === null ? '' : `${Math.ceil(ply / 2)}${ply % 2 ? '.' : '…'} ${shownSan(san)}`;

export function Novelties() {
  const id = baseId.value ?? '';
  const asked = useSignal({ query: query.value, reference: '' });
  const asking = useAnswer<Told>(`bases/${encodeURIComponent(id)}/novelties?${queryString(asked.value)}`);
  const { told } = asking;
  const found = told.value;
  return (
    <main class="research library" id="main">
      <h1>{t('novelties.title')}</h1>
      <Asked
        query={asked.value.query}
        onAsk={form =>
          (asked.value = { query: String(form.get('query') ?? '').trim(), reference: String(form.get('reference') ?? '') })
        }
      >
        <label>
          {t('novelties.reference')}
          <select name="reference" value={asked.value.reference}>
            {library.bases.value?.map(one => (
              <option key={one.id} value={one.id === id ? '' : one.id}>
                {titleOf(one, library.bases.value ?? [])}
              </option>
            ))}
          </select>
        </label>
      </Asked>
      <Said asking={asking} notes={found?.notes ?? []} />
      {found && (
        <>
          <p>
            {t('games', { n: found.games })}
            {found.undated > 0 && <span class="quiet"> · {t('novelties.undated', { n: found.undated })}</span>}
          </p>
          <div class="wide" tabIndex={0} role="group" aria-label={t('novelties.title')}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('novelties.new')}</th>
                  <th scope="col">{t('novelties.game')}</th>
                  <th scope="col">{t('novelties.before')}</th>
                </tr>
              </thead>
              <tbody>
                {found.novelties.map(one => (
                  <tr key={one.game.number}>
                    <th scope="row">
                      <GameLink base={id} game={one.game.number} at={one.ply}>
                        {moveOf(one.ply, one.san)}
                      </GameLink>
                    </th>
                    <td>
                      <Shown base={id} game={one.game} />
                    </td>
                    <td>
                      {one.before.slice(0, SHOWN).map((other, at) => (
                        <span key={at} class="before">
                          {other.san === null ? t('novelties.end') : moveOf(one.ply, other.san)} <span class="quiet">{number(other.games)}</span>
                        </span>
                      ))}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </main>
  );
}
