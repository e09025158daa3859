/** Annotating: everything that can be changed at the move where the reader stands. */

import { useSignal } from '@preact/signals';
import { ArrowDown, ArrowUp, ArrowUpToLine, Eraser, Redo2, Scissors, ScissorsLineDashed, Trash2, Undo2 } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import * as board from '../board/store';
import { useQuestion } from '../dialog';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { PALETTE, glyph } from '../moves/nags';
import { Button } from '../ui/button';
import { shownSan, t } from '../words';
import type { Key } from '../words';
import { COLOURS, colour, drawn } from './drawing';
import { History } from './history';
import { Kept } from './kept';
import { Refusal } from './refusal';
import * as desk from './desk';
import * as store from './store';
import { Tags } from './tags';

export function Annotate() {
  const now = store.session.value;
  if (!now) return null;
  return (
    <section class="annotate" aria-label={t('edit.title')}>
      <Choice />
      <Kept />
      <Refusal />
      {(store.trouble.value ?? now.trouble) && (
        <p class="trouble" role="alert">
          {store.trouble.value ?? now.trouble}
        </p>
      )}
      <Steps />
      <Signs />
      <Comment side="after" />
      <Comment side="before" />
      <Drawing />
      <Tags />
      <Saving />
    </section>
  );
}

/** Where a move goes that differs from the game. */
function Choice() {
  const move = store.asked.value;
  const box = useQuestion(move, 'button');
  if (move === null) return null;
  return (
    <div
      class="choice"
      ref={box}
      role="dialog"
      aria-label={t('edit.where', { move: shownSan(move) })}
      onKeyDown={event => {
        const way = desk.WAYS[['1', '2', '3'].indexOf(event.key)];
        if (way) desk.choose(way);
        else if (event.key === 'Escape') desk.choose(null);
        else return;
        event.preventDefault();
      }}
    >
      <b>{t('edit.where', { move: shownSan(move) })}</b>
      {desk.WAYS.map((way, at) => (
        <button key={way} onClick={() => desk.choose(way)}>
          <kbd>{at + 1}</kbd> {t(`edit.${way}`)}
        </button>
      ))}
      <button onClick={() => desk.choose(null)}>{t('cancel')}</button>
    </div>
  );
}

/** What is done to the game and its lines: always in sight, in one or two rows. */
function Steps() {
  const now = store.session.value;
  return (
    <>
      <div class="row">
        <Button icon="save" kind="main" disabled={!now?.changed} onClick={() => void desk.save()}>
          {t('edit.save')}
        </Button>
        <p class="state" role="status" data-waits={now?.waits ? '' : undefined}>
          {store.saved.value ? t('edit.saved') : now?.changed ? t('edit.draft') : t('edit.same')}
        </p>
        <Button icon="close" label={t('edit.leave')} onClick={store.leave} />
      </div>
      <div class="row">
        <span class="row" role="group" aria-label={t('edit.steps')}>
          <Button icon={Undo2} label={t('edit.undo')} disabled={!now?.undo} onClick={() => void desk.wish({ kind: 'undo' })} />
          <Button icon={Redo2} label={t('edit.redo')} disabled={!now?.redo} onClick={() => void desk.wish({ kind: 'redo' })} />
          <Button label={t('edit.pass')} data-tip={t('edit.pass')} onClick={() => desk.play('--')}>
            --
          </Button>
        </span>
        <span class="row" role="group" aria-label={t('edit.lines')}>
          {LINES.map(([kind, icon]) => (
            <Button key={kind} icon={icon} label={t(`edit.${kind}`)} onClick={() => void desk.wish({ kind })} />
          ))}
        </span>
      </div>
    </>
  );
}

const LINES = [
  ['promote', ArrowUp],
  ['demote', ArrowDown],
  ['promote-fully', ArrowUpToLine],
  ['remove', Eraser],
  ['delete-line', Trash2],
  ['delete-after', Scissors],
  ['delete-before', ScissorsLineDashed],
] as const;

const TEXTS = { before: desk.words('before'), after: desk.words('after') };

/** The field shows the words of the move where the reader stands. Each key goes to the game at once; while the field is in focus,
 * nothing but another move puts other words into it. */
function Comment({ side }: { side: 'before' | 'after' }) {
  const at = board.node.value?.id ?? 0;
  const field = useRef<HTMLTextAreaElement>(null);
  const of = useRef(-1);
  const text = TEXTS[side].value;
  useLayoutEffect(() => {
    const now = field.current;
    if (!now || (of.current === at && document.activeElement === now)) return;
    of.current = at;
    if (now.value !== (text ?? '')) now.value = text ?? '';
  });
  if (text === null) return null;
  return (
    // Between two moves there is one field: the comment before a move is the one after the move before, but where a variation begins.
    <label class={`remark ${side}${(board.node.value?.index ?? 0) > 0 ? ' begins' : ''}`}>
      {t(side === 'before' ? 'edit.before' : 'edit.after')}
      <textarea
        ref={field}
        id={`comment-${side}`}
        rows={2}
        dir="auto"
        onInput={event => desk.comment(side, event.currentTarget.value, of.current)}
        onBlur={event => {
          desk.typedAll();
          delete event.currentTarget.closest<HTMLElement>('.remark')?.dataset['asked'];
          const now = TEXTS[side].peek() ?? '';
          if (event.currentTarget.value !== now) event.currentTarget.value = now;
        }}
      />
    </label>
  );
}

function Signs() {
  const nags = board.node.value?.nags ?? [];
  return (
    <div class="row signs" role="group" aria-label={t('edit.signs')}>
      {PALETTE.map((nag, at) => (
        <button
          key={nag}
          aria-pressed={nags.includes(nag)}
          aria-label={`${glyph(nag).trim()}${at < 8 ? ` (${at + 1})` : ''}`}
          onClick={() => void desk.wish({ kind: 'nag', nag })}
        >
          {glyph(nag).trim()}
        </button>
      ))}
    </div>
  );
}

/** Arrows and squares by the keyboard; on the board the right button draws them. */
function Drawing() {
  const field = useRef<HTMLInputElement>(null);
  const wrong = useSignal(false);
  return (
    <form
      class="row"
      onSubmit={event => {
        event.preventDefault();
        const found = drawn(field.current?.value ?? '', colour.value);
        wrong.value = found === null;
        if (!found) return;
        void desk.wish(found);
        if (field.current) field.current.value = '';
      }}
    >
      <select aria-label={t('edit.colour')} value={colour.value} onChange={event => (colour.value = event.currentTarget.value as (typeof COLOURS)[number])}>
        {COLOURS.map(one => (
          <option key={one} value={one}>
            {t(`edit.${one}` as Key)}
          </option>
        ))}
      </select>
      <input ref={field} aria-label={t('edit.draw')} placeholder={t('edit.draw')} aria-invalid={wrong.value} autocomplete="off" spellcheck={false} />
      <button type="submit">{t('edit.draw.do')}</button>
    </form>
  );
}

function Saving() {
  const now = store.session.value;
  const others = (library.bases.value ?? []).filter(base => base.editable && base.id !== now?.base);
  return (
    <div class="row save" role="group" aria-label={t('edit.save')}>
      <button onClick={() => void desk.save({ new: true })}>{t('edit.save.new')}</button>
      {others.length > 0 && (
        <form
          class="row"
          onSubmit={event => {
            event.preventDefault();
            void desk.save({ base: String(new FormData(event.currentTarget).get('into')) });
          }}
        >
          <select name="into" aria-label={t('edit.save.into')} required>
            <option value="">{t('edit.save.into')}</option>
            {others.map(base => (
              <option key={base.id} value={base.id}>
                {titleOf(base, library.bases.value ?? [])}
              </option>
            ))}
          </select>
          <button type="submit">{t('edit.save.there')}</button>
        </form>
      )}
      <History />
      <button onClick={() => void desk.discard()}>{t('edit.discard')}</button>
    </div>
  );
}
