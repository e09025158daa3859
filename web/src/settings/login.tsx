/** Logging in at Lichess: in another tab, where Lichess asks whether it may be. The token never comes here. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SiteLoginAnswer } from '../answers';
import { ask, post, remove } from '../api';
import { t } from '../words';

/** How often it is asked whether the user has agreed, in milliseconds. */
const PERIOD = 1000;

const login = signal<SiteLoginAnswer | null>(null);
const trouble = signal<string | null>(null);

function follow(asked: Promise<SiteLoginAnswer>): Promise<void> {
  return asked.then(
    found => {
      login.value = found;
      trouble.value = found.message;
    },
    (error: Error) => {
      login.value = null;
      trouble.value = error.message;
    },
  );
}

/** A login that waits for the user, or a button that begins one. */
export function Login() {
  const isWaiting = login.value?.state === 'waiting';
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void follow(ask<SiteLoginAnswer>('login')), PERIOD);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const address = isWaiting ? login.value?.address : null;
  return (
    <section>
      {!isWaiting && (
        <button type="button" id="login" onClick={() => void follow(post('login', {}))}>
          {t('login.begin')}
        </button>
      )}
      <div role="status">
        {address && (
          <p>
            <a id="login-address" href={address} target="_blank" rel="noopener noreferrer">
              {t('login.open')}
            </a>
          </p>
        )}
        {login.value?.state === 'done' && <p>{t('login.done')}</p>}
      </div>
      {isWaiting && (
        <button type="button" onClick={() => void follow(remove('login'))}>
          {t('cancel')}
        </button>
      )}
      {trouble.value && <p class="trouble">{trouble.value}</p>}
    </section>
  );
}
