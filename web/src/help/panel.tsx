/** Help: the keys, the commands of the text field, a few queries. */

import { t } from '../words';
import { KEYS } from './keys';

const ARROWS: Record<string, string> = { ArrowRight: '→', ArrowLeft: '←', ArrowUp: '↑', ArrowDown: '↓' };

const shown = (key: string): string => key.split('+').map(part => ARROWS[part] ?? part).join(' ');

const COMMANDS = [
  ['p N', 'command.pieces'],
  ['s e', 'command.scan'],
  ['l', 'command.last'],
  ['best', 'command.best'],
  ['m', 'command.moves'],
  ['n', 'command.next'],
  ['b', 'command.back'],
  ['v', 'command.variation'],
  ['up', 'command.up'],
  ['t', 'command.turn'],
] as const;

const QUERIES = [
  ['white:"Tal, M" eco:B', 'example.player'],
  ['elo>2600 date:2010..2015', 'example.elo'],
  ['material:"KRP v KR"', 'example.material'],
  ['comment:zugzwang', 'example.comment'],
] as const;

export function Help() {
  return (
    <dialog id="help" aria-labelledby="help-title">
      <h2 id="help-title">{t('help.title')}</h2>
      <h3>{t('help.keys')}</h3>
      <dl>
        {KEYS.map(one => (
          <div key={one.label}>
            <dt>
              {one.keys.map(key => (
                <kbd key={key}>{shown(key)}</kbd>
              ))}
            </dt>
            <dd>{t(one.label)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('help.commands')}</h3>
      <dl>
        {COMMANDS.map(([command, label]) => (
          <div key={command}>
            <dt>
              <kbd>{command}</kbd>
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('help.queries')}</h3>
      <dl>
        {QUERIES.map(([query, label]) => (
          <div key={query}>
            <dt>
              <code>{query}</code>
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{t('close')}</button>
      </form>
    </dialog>
  );
}
