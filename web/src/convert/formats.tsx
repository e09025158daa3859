/** The format of what is written, and what its writer can be told, in the words of the format itself. */

import { batch, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import * as api from '../api';
import { t } from '../words';
import type { Key } from '../words';
import type { FormatOptionAnswer, WritableFormatAnswer } from '../answers';

type Option = FormatOptionAnswer;

export type Format = WritableFormatAnswer;

/** What is chosen: a format, a path, and what the format is told. */
export interface Chosen {
  formats: Signal<Format[]>;
  format: Signal<string>;
  path: Signal<string>;
  settings: Signal<Record<string, string>>;
  /** The first folder in which databases may be made. */
  folder: Signal<string>;
}

export function useChosen(): Chosen {
  const chosen = {
    formats: useSignal<Format[]>([]),
    format: useSignal(''),
    path: useSignal(''),
    settings: useSignal<Record<string, string>>({}),
    folder: useSignal(''),
  };
  useEffect(() => {
    const asked = Promise.all([api.ask<Format[]>('formats'), api.ask<{ folders: string[] }>('places').catch(() => ({ folders: [] }))]);
    // At once: the path that is offered with a format begins with the folder.
    const took = ([formats, { folders }]: [Format[], { folders: string[] }]) =>
      batch(() => {
        chosen.formats.value = formats;
        chosen.folder.value = folders[0] ?? '';
      });
    asked.then(took, () => undefined);
  }, []);
  return chosen;
}

const ending = (path: string): string => /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** A name within a folder; copies that a browser has handed over have no folder of their own. */
const within = (folder: string, name: string): string =>
  !folder || /^([/\\]|[A-Za-z]:)/.test(name) ? name : `${folder}${folder.includes('\\') ? '\\' : '/'}${name}`;

/** The format that was chosen, or that the path's ending says. */
export const formatOf = ({ formats, format, path }: Chosen): Format | undefined =>
  formats.value.find(one => one.name === format.value) ?? formats.value.find(one => one.extensions.includes(ending(path.value)));

export function FormatFields({ chosen, from, which, label = 'convert.path', isFolder = false }: { chosen: Chosen; from: string; which?: (format: Format) => boolean; label?: Key; isFolder?: boolean }) {
  const { formats, format, path, settings, folder } = chosen;
  const now = formatOf(chosen);
  const choose = (name: string) => {
    format.value = name;
    settings.value = {};
    const extension = formats.value.find(one => one.name === name)?.extensions[0];
    if (!extension || isFolder) return;
    const known = formats.value.some(one => one.extensions.includes(ending(path.value)));
    path.value = path.value ? `${known ? path.value.replace(/\.[^./\\]*$/, '') : path.value}.${extension}` : `${within(folder.value, from)}.${extension}`;
  };
  return (
    <>
      <label>
        {t('convert.format')}
        <select name="format" value={format.value} onChange={event => choose(event.currentTarget.value)}>
          <option value="">{t('convert.by-name')}</option>
          {formats.value
            .filter(one => one.extensions.length > 0 && (which?.(one) ?? true))
            .map(one => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
        </select>
      </label>
      <label>
        {t(isFolder ? 'convert.folder' : label)}
        <input
          name="path"
          required
          value={path.value}
          onInput={event => {
            path.value = event.currentTarget.value;
            // What is typed says the format itself.
            if (!isFolder && ending(path.value) && !formatOf({ ...chosen, path })?.extensions.includes(ending(path.value))) format.value = '';
          }}
          spellcheck={false}
          autocomplete="off"
        />
      </label>
      {now && now.options.length > 0 && (
        <details class="options">
          <summary>{t('convert.options', { format: now.title })}</summary>
          {now.options.map(option => (
            <Told key={`${now.name} ${option.name}`} option={option} settings={settings} />
          ))}
        </details>
      )}
    </>
  );
}

/** What stands between back quotes is spelt so. */
const spelt = (help: string) => help.split('`').map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part));

function Told({ option, settings }: { option: Option; settings: Signal<Record<string, string>> }) {
  const { name, help, takes, usual } = option;
  const value = settings.value[name];
  const set = (to: string | null) => {
    const { [name]: _, ...rest } = settings.value;
    settings.value = to === null ? rest : { ...rest, [name]: to };
  };
  if (takes.kind === 'nothing') {
    return (
      <label class="tick" lang="en">
        <input type="checkbox" name={`option-${name}`} checked={value !== undefined} onChange={event => set(event.currentTarget.checked ? '' : null)} /> {spelt(help)}
      </label>
    );
  }
  if (takes.kind === 'one') {
    return (
      <label lang="en">
        {spelt(help)}
        <select name={`option-${name}`} value={value ?? usual ?? ''} onChange={event => set(event.currentTarget.value || null)}>
          {usual === null && <option value="" />}
          {takes.words.map(one => (
            <option key={one.word} value={one.word}>
              {one.help || one.word}
            </option>
          ))}
        </select>
      </label>
    );
  }
  const rest = {
    name: `option-${name}`,
    value: value ?? '',
    autocomplete: 'off',
    onChange: (event: { currentTarget: HTMLInputElement }) => set(event.currentTarget.value.trim() || null),
  };
  return (
    <label lang="en">
      {spelt(help)}
      {takes.kind === 'number' ? <input type="number" min={0} {...rest} /> : <input placeholder={takes.name} spellcheck={false} {...rest} />}
    </label>
  );
}
