/** Puzzles out of the games of the database: they are found by an engine as a job, and solved on the board. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import * as api from '../api';
import { baseId, query } from '../address';
import * as library from '../library/store';
import * as live from '../live';
import { Progress } from '../library/progress';
import { reportOf } from '../report';
import { words } from '../research/asking';
import { GameLink } from '../research/parts';
import { number, t } from '../words';
import { Solving } from './solving';
import type { PuzzlesAnswer } from '../answers';

type Report = PuzzlesAnswer;

const LOOKS = [10_000, 40_000, 200_000];

export function Puzzles() {
  const id = baseId.value ?? '';
  const engines = useSignal<{ name: string; program: string }[]>([]);
  const trouble = useSignal<string | null>(null);
  const report = useSignal<Report | null>(null);
  const at = useSignal(0);
  const failed = (error: unknown) => (trouble.value = words(error));
  useEffect(() => {
    void api.ask<{ name: string; program: string }[]>('engines').then(found => (engines.value = found), failed);
  }, []);
  const show = async (job: api.Job) => {
    const told = await reportOf<Report>(job.id);
    trouble.value = told.job.message;
    report.value = told.report;
    at.value = 0;
  };
  const start = (form: HTMLFormElement) => {
    const values = new FormData(form);
    trouble.value = report.value = null;
    api
      .post<api.Job>(`bases/${encodeURIComponent(id)}/puzzles`, {
        query: String(values.get('query') ?? ''),
        engine: String(values.get('engine') ?? ''),
        nodes: Number(values.get('nodes')),
        first: Number(values.get('first')),
        missed: values.get('missed') === 'on',
      })
      .then(job => live.ended(job))
      .then(show)
      .catch(failed);
  };
  const jobs = [...live.jobs.value.values()].filter(job => job.kind === 'puzzles' && job.base === id);
  const found = report.value?.puzzles ?? [];
  const puzzle = found[at.value];
  return (
    <main class="research puzzles library" id="main">
      <h1>{t('puzzles.title')}</h1>
      <form
        class="asked"
        onSubmit={event => {
          event.preventDefault();
          start(event.currentTarget);
        }}
      >
        <label>
          {t('stats.query')}
          <input name="query" defaultValue={query.value} autocomplete="off" spellcheck={false} />
        </label>
        <label>
          {t('engine.which')}
          <select name="engine">
            {engines.value.map(one => (
              <option key={one.name} title={one.program}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('analyse.nodes')}
          <select name="nodes" defaultValue="40000">
            {LOOKS.map(one => (
              <option key={one} value={one}>
                {number(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('puzzles.first')}
          <input name="first" type="number" min={1} max={200} defaultValue="20" required />
        </label>
        <label class="tick">
          <input type="checkbox" name="missed" /> {t('puzzles.missed')}
        </label>
        <button type="submit" disabled={engines.value.length === 0}>
          {t('puzzles.find')}
        </button>
      </form>
      {trouble.value && (
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
                  <span class="quiet">{t(`job.${job.state}`)}</span> <button onClick={() => void show(job).catch(failed)}>{t('puzzles.solve')}</button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {report.value && (
        <p role="status">
          {t('puzzles.found', { n: found.length })} · {t('games', { n: report.value.games })}
        </p>
      )}
      {report.value?.notes.map((note, one) => (
        <p key={one} class="quiet" dir="auto">
          {note}
        </p>
      ))}
      {puzzle && (
        <section class="puzzle" aria-label={t('puzzles.number', { n: at.value + 1, all: found.length })}>
          <h2>{t('puzzles.number', { n: at.value + 1, all: found.length })}</h2>
          <Solving key={`${at.value} ${puzzle.fen}`} puzzle={puzzle} />
          <p>
            <GameLink base={id} game={puzzle.source.game} at={puzzle.source.ply}>
              <span dir="auto">
                {puzzle.source.white} – {puzzle.source.black}
              </span>
            </GameLink>{' '}
            <span class="quiet" dir="auto">
              {[puzzle.source.event, puzzle.source.date].filter(Boolean).join(' · ')}
            </span>
          </p>
          <p class="row">
            <button disabled={at.value === 0} onClick={() => at.value--}>
              {t('puzzles.previous')}
            </button>
            <button disabled={at.value + 1 >= found.length} onClick={() => at.value++}>
              {t('puzzles.next')}
            </button>
          </p>
        </section>
      )}
    </main>
  );
}
