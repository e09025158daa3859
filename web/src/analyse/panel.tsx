/** Games annotated with an engine: which, by whom, how thoroughly; how far it has come, and what was found. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import * as api from '../api';
import { baseId, follow, gameNumber, query } from '../address';
import { selected } from '../games/selection';
import { reload } from '../library/changed';
import { Progress } from '../library/progress';
import * as library from '../library/store';
import * as live from '../live';
import { reportOf } from '../report';
import type { Reported } from '../report';
import { number, t } from '../words';
import type { AnalysisAnswer } from '../answers';

type Report = AnalysisAnswer;

/** Positions that the engine looks at for each move: a glance, the usual, and thoroughly. */
const NODES = [50_000, 200_000, 1_000_000, 5_000_000];
const USUAL = 200_000;

type Which = 'game' | 'selected' | 'list';

export function Analyse() {
  const id = baseId.value ?? '';
  const game = gameNumber.value;
  const chosen = [...selected.value];
  const base = library.bases.value?.find(one => one.id === id);
  const engines = useSignal<{ name: string; program: string }[] | null>(null);
  const trouble = useSignal<string | null>(null);
  const shown = useSignal<Reported<Report> | null>(null);
  const failed = (error: unknown) => (trouble.value = error instanceof Error ? error.message : String(error));
  useEffect(() => {
    void api.ask<{ name: string; program: string }[]>('engines').then(found => (engines.value = found), failed);
  }, []);
  const show = (job: api.Job) => reportOf<Report>(job.id).then(found => (shown.value = found), failed);
  const start = (form: HTMLFormElement) => {
    const values = new FormData(form);
    const which = values.get('which') as Which;
    trouble.value = shown.value = null;
    const asked = {
      games: which === 'game' && game !== null ? [game] : which === 'selected' ? chosen : [],
      query: which === 'list' ? query.value : '',
      engine: values.get('engine'),
      nodes: Number(values.get('nodes')),
      redo: values.get('redo') === 'on',
    };
    api
      .post<api.Job>(`bases/${encodeURIComponent(id)}/analyse`, asked)
      .then(job => live.ended(job))
      .then(job => {
        reload(id);
        return show(job);
      })
      .catch(failed);
  };
  const jobs = [...live.jobs.value.values()].filter(job => job.kind === 'analyse' && job.base === id);
  const may = Boolean(base?.editable) && !library.readOnly.value;
  const ways: [Which, string][] = [['list', query.value ? `${t('analyse.list')}: ${query.value}` : t('analyse.list')]];
  if (chosen.length > 0) ways.unshift(['selected', t('analyse.selected', { n: chosen.length })]);
  if (game !== null) ways.unshift(['game', `${t('analyse.game')} (${t('game.number', { n: number(game) })})`]);
  return (
    <main class="convert analyse library" id="main">
      <h1>{t('analyse.title')}</h1>
      {may && (
        <form
          onSubmit={event => {
            event.preventDefault();
            start(event.currentTarget);
          }}
        >
          <fieldset>
            <legend>{t('analyse.which')}</legend>
            {ways.map(([which, label], at) => (
              <label key={which}>
                <input type="radio" name="which" value={which} defaultChecked={at === 0} /> <span dir="auto">{label}</span>
              </label>
            ))}
          </fieldset>
          <label>
            {t('engine.which')}
            <select name="engine">
              {engines.value?.map(one => (
                <option key={one.name} value={one.name} title={one.program}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t('analyse.nodes')}
            <select name="nodes">
              {NODES.map(nodes => (
                <option key={nodes} value={nodes} selected={nodes === USUAL}>
                  {number(nodes)}
                </option>
              ))}
            </select>
          </label>
          <label class="tick">
            <input type="checkbox" name="redo" /> {t('analyse.redo')}
          </label>
          <p>
            <button type="submit">{t('analyse.do')}</button>
          </p>
        </form>
      )}
      {trouble.value !== null && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {jobs.length > 0 && (
        <ul class="jobs">
          {jobs.map(job => (
            <li key={job.id}>
              <span dir="auto">{job.what}</span>{' '}
              {job.state === 'running' ? (
                <>
                  <Progress job={job} /> <button onClick={() => void library.stop(job.id)}>{t('query.stop')}</button>
                </>
              ) : (
                <>
                  <span class="quiet">{t(`job.${job.state}`)}</span> <button onClick={() => void show(job)}>{t('convert.report')}</button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {shown.value && <Told base={id} {...shown.value} />}
    </main>
  );
}

function Told({ base, job, report }: { base: string; job: api.Job; report: Report | null }) {
  return (
    <section class="report" role="status">
      <h2>{t('convert.report')}</h2>
      {job.message !== null && <p class="trouble">{job.message}</p>}
      {job.state === 'stopped' && <p>{t('analyse.kept')}</p>}
      {report && job.state === 'done' && (
        <p>
          {t('analyse.done', { n: report.changed })} · <span dir="auto">{report.engine}</span>
        </p>
      )}
      {report?.notes.map((note, at) => (
        <p key={at} class="quiet" dir="auto">
          {note}
        </p>
      ))}
      {report?.refused.map(one => (
        <p key={one.number}>{t('analyse.stays', { n: number(one.number), why: one.why })}</p>
      ))}
      {report && report.games_found.length > 0 && job.state === 'done' && (
        <div class="wide statistics" tabIndex={0} role="group" aria-label={t('convert.report')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('novelties.game')}</th>
                <th scope="col">{t('stats.player')}</th>
                <th scope="col">%</th>
                <th scope="col">?!</th>
                <th scope="col">?</th>
                <th scope="col">??</th>
              </tr>
            </thead>
            <tbody>
              {report.games_found.flatMap(one =>
                ([[one.names[0], one.white], [one.names[1], one.black]] as const).map(([name, side], at) => (
                  <tr key={`${one.number}-${at}`}>
                    <td>
                      {at === 0 && (
                        <a
                          href={`/base/${encodeURIComponent(base)}/game/${one.number}`}
                          onClick={follow({ base, game: one.number, path: '', panel: '' })}
                        >
                          {number(one.number)}
                        </a>
                      )}
                    </td>
                    <th scope="row" dir="auto">
                      {name}
                    </th>
                    <td>{side.accuracy === null ? '' : number(Math.round(side.accuracy * 10) / 10)}</td>
                    <td>{number(side.inaccuracies)}</td>
                    <td>{number(side.mistakes)}</td>
                    <td>{number(side.blunders)}</td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
