/** Help: the keys, the commands of the text field, the query language. */

import { baseId, go } from '../address';
import { useShown } from '../dialog';
import { Dialog } from '../ui/dialog';
import { t } from '../words';
import { KEYS } from './keys';

const ARROWS: Record<string, string> = { ArrowRight: '→', ArrowLeft: '←', ArrowUp: '↑', ArrowDown: '↓' };

const shown = (key: string): string => key.split('+').map(part => ARROWS[part] ?? part).join(' ');

const COMMANDS = [
  ['open NAME', 'command.open'],
  ['find QUERY', 'command.find'],
  ['list', 'command.list'],
  ['game 12', 'command.game'],
  ['home', 'key.home'],
  ['i', 'command.info'],
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
  ['c', 'command.comment'],
  ['w', 'command.what'],
] as const;

const EDITING = [
  ['edit', 'edit.begin'],
  ['Nf3', 'help.move'],
  ['say TEXT', 'edit.after'],
  ['before TEXT', 'edit.before'],
  ['!? · nag 14', 'edit.signs'],
  ['draw e2e4 · draw red d5', 'help.draw'],
  ['tag White NAME', 'edit.tags'],
  ['result 1-0', 'edit.result'],
  ['promote · demote · mainline', 'help.lines'],
  ['remove · remove line · cut · cut before', 'edit.remove'],
  ['fen FEN · fen', 'edit.start'],
  ['undo · redo', 'edit.undo'],
  ['save · save new · save into NAME · save comment · save drop · save over', 'edit.save'],
  ['versions · restore 2', 'edit.history'],
  ['discard · done', 'help.leave'],
] as const;

const CHANGING = [
  ['new', 'games.new'],
  ['drafts · resume 1', 'drafts.title'],
  ['delete 3 · undelete 1,4-6', 'changes.delete'],
  ['flags 3 WB-D', 'changes.flags'],
  ['sort date', 'changes.sort'],
  ['compact', 'changes.compact'],
  ['describe TEXT', 'changes.describe'],
  ['copy 1,3', 'games.copy'],
  ['changes', 'edit.history'],
  ['revert', 'changes.undo'],
] as const;

/** What can be searched, by an example each. */
const QUERIES = [
  ['Tal', 'help.q.text'],
  ['white:"Tal, M" eco:B', 'example.player'],
  ['player:Tal or player:Keres', 'help.q.or'],
  ['player:Tal not result:draw', 'help.q.not'],
  ['(white:Tal or black:Keres) year:1960', 'help.q.brackets'],
  ['event="Candidates"', 'help.q.equal'],
  ['event:Wijk*', 'help.q.stars'],
  ['elo>2600 date:2010..2015', 'example.elo'],
  ['moves<=20 result:decisive', 'help.q.short'],
  ['opening:Sicilian', 'help.q.opening'],
  ['material:"KRP v KR"', 'example.material'],
  ['position:"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"', 'help.q.position'],
  ['pieces:"P passed"', 'help.q.pieces'],
  ['check then mate', 'help.q.then'],
  ['comment:zugzwang', 'example.comment'],
  ['nag:1 has:variations', 'help.q.notes'],
  ['blunder>=2', 'help.q.blunders'],
  ['flag:deleted', 'help.q.deleted'],
] as const;

export function Help() {
  useShown('help');
  const find = (query: string) => () => {
    document.querySelector<HTMLDialogElement>('#help')?.close();
    go({ query, game: null, path: '', panel: '' });
  };
  return (
    <Dialog id="help" title={t('help.title')}>
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
      <h3>{t('edit.title')}</h3>
      <dl>
        {EDITING.map(([command, label]) => (
          <div key={command}>
            <dt>
              <kbd>{command}</kbd>
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('changes.title')}</h3>
      <dl>
        {CHANGING.map(([command, label]) => (
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
              {baseId.value === null ? (
                <code>{query}</code>
              ) : (
                <button class="plain" onClick={find(query)}>
                  <code>{query}</code>
                </button>
              )}
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{t('close')}</button>
      </form>
    </Dialog>
  );
}
