/** Why a game was not saved, and what there is to choose. Nothing was changed yet. */

import { useQuestion } from '../dialog';
import { summary } from '../findings';
import { t } from '../words';
import * as desk from './desk';
import * as store from './store';

export function Refusal() {
  const refused = store.refused.value;
  const box = useQuestion(refused);
  if (!refused) return null;
  const { more } = refused.refusal;
  const { how } = refused;
  return (
    <div
      class="refusal"
      ref={box}
      role="alertdialog"
      aria-label={t('edit.refused')}
      tabIndex={-1}
      onKeyDown={event => {
        if (event.key === 'Escape') store.refused.value = null;
      }}
    >
      <p>{refused.refusal.message}</p>
      {more.losses && (
        <>
          <ul>
            {more.losses.map(loss => (
              <li key={loss.kind}>
                {summary(loss.kind, loss.summary)} {loss.examples.filter(Boolean).length > 0 && <q dir="auto">{loss.examples.filter(Boolean).join('; ')}</q>}
              </li>
            ))}
          </ul>
          <div class="row">
            {more.comments && (
              <button onClick={() => void desk.save({ ...how, lossy: 'comment' })}>{t('edit.lossy.comment')}</button>
            )}
            <button onClick={() => void desk.save({ ...how, lossy: 'drop' })}>{t('edit.lossy.drop')}</button>
            <button onClick={() => (store.refused.value = null)}>{t('cancel')}</button>
          </div>
        </>
      )}
      {more.theirs !== undefined && (
        <>
          <Changes title={t('edit.mine')} all={more.mineChanged ?? []} />
          <Changes title={t('edit.theirs')} all={more.theirsChanged ?? []} />
          <div class="row">
            <button onClick={() => void desk.save({ new: true })}>{t('edit.save.new')}</button>
            <button onClick={() => void desk.saveOver()}>{t('edit.over')}</button>
            <button onClick={() => void desk.discard()}>{t('edit.discard')}</button>
            <button onClick={() => (store.refused.value = null)}>{t('cancel')}</button>
          </div>
        </>
      )}
      {!more.losses && more.theirs === undefined && <button onClick={() => (store.refused.value = null)}>{t('close')}</button>}
    </div>
  );
}

export function Changes({ title, all }: { title: string; all: string[] }) {
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {all.map((one, at) => (
          <li key={at} dir="auto">
            {one}
          </li>
        ))}
      </ul>
    </>
  );
}
