/** An opening: the moves that its games begin with, what goes on from there, its games in numbers. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import * as api from '../api';
import { PLAIN, addressOf, follow, go, tried } from '../address';
import { pageDiagram } from '../board/diagram';
import * as board from '../board/store';
import { numbered } from '../game/line';
import { playUci } from '../game/position';
import { START } from '../game/tree';
import { number, shownSan, t } from '../words';
import { openingQuery } from './query';
import { Told } from './told';
import type { Subject } from './told';

/** A move that so many of the games make is the opening's own. */
const OWN = 0.95;
/** Half-moves that are gone at most to find where it begins. */
const DEEPEST = 24;

/** The moves that nearly all games of a query begin with, by their squares. */
async function beginning(base: string, query: string, signal: AbortSignal): Promise<string[]> {
  const moves: string[] = [];
  let fen = START;
  while (moves.length < DEEPEST) {
    const { games, moves: next } = await api.explore([base], fen, { query }, signal);
    const [most] = next;
    if (!most || games < 2 || most.games < OWN * games) break;
    const played = playUci(fen, most.uci);
    if (!played) break;
    fen = played.fen;
    moves.push(played.uci);
  }
  return moves;
}

export function Opening({ base, name, kind }: Subject) {
  const query = openingQuery(name);
  const found = useSignal<api.Explored | null>(null);
  const trouble = useSignal<string | null>(null);
  /** Until it is known where the opening begins. */
  const seeks = useSignal(tried.peek() === '');
  const fen = board.fen.value;
  const fails = (control: AbortController) => (error: unknown) => {
    if (!control.signal.aborted) trouble.value = error instanceof Error ? error.message : String(error);
  };
  useEffect(() => {
    if (!seeks.peek()) return;
    const control = new AbortController();
    beginning(base, query, control.signal).then(moves => {
      seeks.value = false;
      go({ tried: moves.join('-') }, true);
    }, fails(control));
    return () => control.abort();
  }, []);
  useEffect(() => {
    if (seeks.value) return;
    const control = new AbortController();
    api.explore([base], fen, { query }, control.signal).then(told => (found.value = told), fails(control));
    return () => control.abort();
  }, [fen, seeks.value]);
  const moves = board.scratch.value?.moves.slice(0, board.scratch.value.shown) ?? [];
  const to = { ...PLAIN, base, tried: tried.value };
  return (
    <>
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      <div class="about-opening">
        <img src={`data:image/svg+xml,${encodeURIComponent(pageDiagram(fen))}`} alt={fen} />
        <div>
          {found.value?.opening && (
            <p>
              <b>
                {found.value.opening.eco} {found.value.opening.name}
              </b>
            </p>
          )}
          <p class="line">
            {moves.length > 0 && (
              <button class="plain" onClick={() => go({ tried: '' }, true)} aria-label={t('move.first')}>
                |◀
              </button>
            )}
            {moves.map((move, at) => (
              <button class="plain" key={at} onClick={() => go({ tried: moves.slice(0, at + 1).map(one => one.uci).join('-') }, true)}>
                {numbered(shownSan(move.san), at)}
              </button>
            ))}
          </p>
          {found.value && (
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('explorer.move')}</th>
                  <th scope="col">{t('explorer.games')}</th>
                  <th scope="col">+</th>
                  <th scope="col">=</th>
                  <th scope="col">−</th>
                </tr>
              </thead>
              <tbody>
                {found.value.moves.map(move => (
                  <tr key={move.uci}>
                    <th scope="row">
                      <button class="plain" onClick={() => board.playTyped(move.san)}>
                        {numbered(shownSan(move.san), moves.length, true)}
                      </button>
                    </th>
                    {[move.games, move.white, move.draws, move.black].map((count, at) => (
                      <td key={at}>{number(count)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {found.value === null && trouble.value === null && <p class="quiet">{t('loading')}</p>}
          <p>
            <a class="button" href={addressOf(to)} onClick={follow(to)}>
              {t('about.explorer')}
            </a>
          </p>
        </div>
      </div>
      <Told base={base} name={name} kind={kind} />
    </>
  );
}
