/** A query put together from fields, for those who do not type one. */

import { useSignal } from '@preact/signals';
import { EMPTY, Setup, boardText, squaresOf } from '../board/setup';
import * as board from '../board/store';
import { go } from '../address';
import { useShown } from '../dialog';
import { Dialog } from '../ui/dialog';
import { t } from '../words';
import type { Key } from '../words';
import { quoted } from './terms';

interface Field {
  name: string;
  label: Key;
  example?: string;
  /** The term that the value becomes. */
  term: (value: string) => string;
}

const text = (name: string) => (value: string) => `${name}:${quoted(value)}`;

const FIELDS: Field[] = [
  { name: 'white', label: 'column.white', term: text('white') },
  { name: 'black', label: 'column.black', term: text('black') },
  { name: 'player', label: 'builder.player', term: text('player') },
  { name: 'event', label: 'column.event', term: text('event') },
  { name: 'site', label: 'column.site', term: text('site') },
  { name: 'eco', label: 'column.eco', example: 'B90..B99', term: text('eco') },
];

const RANGES: { name: string; label: Key; examples: [string, string] }[] = [
  { name: 'date', label: 'column.date', examples: ['1985', '1990.06'] },
  { name: 'elo', label: 'column.elo', examples: ['2400', '2900'] },
  { name: 'moves', label: 'column.moves', examples: ['20', '60'] },
];

const RESULTS = ['1-0', '1/2-1/2', '0-1', '*'];

const SIDES = ['white', 'black'] as const;
const PIECES = ['q', 'r', 'b', 'n', 'p'] as const;
const MOST: Record<string, number> = { q: 2, r: 2, b: 2, n: 2, p: 8 };

const KINDS = ['pattern', 'position', 'structure'] as const;

export function Builder() {
  useShown('builder');
  const fields = useSignal<Record<string, string>>({});
  const results = useSignal<string[]>([]);
  const material = useSignal<Record<string, number>>({});
  const useMaterial = useSignal(false);
  const squares = useSignal(EMPTY);
  const kind = useSignal<(typeof KINDS)[number]>('pattern');
  const mirror = useSignal(false);
  const set = (name: string) => (event: Event) => {
    fields.value = { ...fields.value, [name]: (event.currentTarget as HTMLInputElement).value };
  };
  const value = (name: string) => fields.value[name]?.trim() ?? '';
  const terms = (): string[] => {
    const all = FIELDS.filter(one => value(one.name)).map(one => one.term(value(one.name)));
    for (const { name } of RANGES) {
      const [from, to] = [value(`${name}-from`), value(`${name}-to`)];
      if (from || to) all.push(`${name}:${from}..${to}`);
    }
    if (results.value.length > 0) all.push(`result:${results.value.join(',')}`);
    if (useMaterial.value) {
      const side = (colour: string) =>
        `K${PIECES.map(piece => piece.toUpperCase().repeat(material.value[colour + piece] ?? 0)).join('')}`;
      all.push(`material:"${side('white')} v ${side('black')}"`);
    }
    if (squares.value.some(sign => sign !== '.')) {
      const options = mirror.value && kind.value === 'pattern' ? '[mirror]' : '';
      all.push(`${kind.value}${options}:"${boardText(squares.value)}"`);
    }
    return all;
  };
  const clear = () => {
    fields.value = {};
    results.value = [];
    material.value = {};
    useMaterial.value = false;
    squares.value = EMPTY;
  };
  const query = terms().join(' ');
  return (
    <Dialog id="builder" class="builder" title={t('builder.title')}>
      <form method="dialog" onSubmit={() => go({ query })}>
        <div class="halves">
          <div>
            {FIELDS.map(one => (
              <label key={one.name}>
                <span>{t(one.label)}</span>
                <input value={fields.value[one.name] ?? ''} placeholder={one.example ?? ''} onInput={set(one.name)} />
              </label>
            ))}
            {RANGES.map(({ name, label, examples }) => (
              <div class="range" role="group" aria-label={t(label)} key={name}>
                <span>{t(label)}</span>
                {['from', 'to'].map((end, at) => (
                  <input
                    key={end}
                    aria-label={`${t(label)}, ${t(at ? 'builder.to' : 'builder.from')}`}
                    placeholder={examples[at]}
                    value={fields.value[`${name}-${end}`] ?? ''}
                    onInput={set(`${name}-${end}`)}
                  />
                ))}
              </div>
            ))}
            <fieldset class="results">
              <legend>{t('column.result')}</legend>
              {RESULTS.map(result => (
                <label key={result}>
                  <input
                    type="checkbox"
                    checked={results.value.includes(result)}
                    onChange={() =>
                      (results.value = results.value.includes(result)
                        ? results.value.filter(one => one !== result)
                        : [...results.value, result])
                    }
                  />
                  {result.replace('1/2-1/2', '½-½')}
                </label>
              ))}
            </fieldset>
            <fieldset>
              <legend>
                <label>
                  <input
                    type="checkbox"
                    checked={useMaterial.value}
                    onChange={() => (useMaterial.value = !useMaterial.value)}
                  />
                  {t('builder.material')}
                </label>
              </legend>
              {useMaterial.value &&
                SIDES.map(colour => (
                  <div key={colour} class="sliders">
                    {PIECES.map(piece => {
                      const count = material.value[colour + piece] ?? 0;
                      const label = t(`piece.${colour}`, { piece: t(`piece.${piece}`) });
                      return (
                        <label key={piece}>
                          <span>{label}</span>
                          <input
                            type="range"
                            min={0}
                            max={MOST[piece]}
                            value={count}
                            onInput={event =>
                              (material.value = {
                                ...material.value,
                                [colour + piece]: Number(event.currentTarget.value),
                              })
                            }
                          />
                          <output>{count}</output>
                        </label>
                      );
                    })}
                  </div>
                ))}
            </fieldset>
          </div>
          <div>
            <label>
              <span>{t('builder.kind')}</span>
              <select
                value={kind.value}
                onChange={event => (kind.value = event.currentTarget.value as (typeof KINDS)[number])}
              >
                {KINDS.map(one => (
                  <option key={one} value={one}>
                    {t(`builder.${one}`)}
                  </option>
                ))}
              </select>
            </label>
            <Setup squares={squares} wild={kind.value === 'pattern'} />
            <p>
              <button type="button" onClick={() => (squares.value = squaresOf(board.fen.value))}>
                {t('builder.current')}
              </button>{' '}
              <button type="button" onClick={() => (squares.value = EMPTY)}>
                {t('setup.clear')}
              </button>
            </p>
            {kind.value === 'pattern' && (
              <label>
                <input type="checkbox" checked={mirror.value} onChange={() => (mirror.value = !mirror.value)} />
                {t('builder.mirror')}
              </label>
            )}
          </div>
        </div>
        <p class="built">
          <code>{query || ' '}</code>
        </p>
        <p>
          <button type="submit">{t('query.search')}</button>{' '}
          <button type="button" onClick={clear}>
            {t('builder.clear')}
          </button>{' '}
          <button type="button" onClick={event => event.currentTarget.closest('dialog')?.close()}>
            {t('close')}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
