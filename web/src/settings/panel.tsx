/** The settings of this browser: language, pieces, colours. */

import { figurines, language, languages, setFigurines, setLanguage, t } from '../words';
import type { Language } from '../words';
import * as store from './store';

export function Settings() {
  return (
    <dialog id="settings" aria-labelledby="settings-title">
      <h2 id="settings-title">{t('settings.title')}</h2>
      <form method="dialog">
        <label>
          {t('settings.language')}
          <select value={language.value} onChange={event => void setLanguage(event.currentTarget.value as Language)}>
            {languages.map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={figurines.value}
            onChange={event => setFigurines(event.currentTarget.checked)}
          />{' '}
          {t('settings.figurines')}
        </label>
        <label>
          {t('settings.theme')}
          <select
            value={store.theme.value}
            onChange={event => (store.theme.value = event.currentTarget.value as store.Theme)}
          >
            {store.THEMES.map(one => (
              <option key={one} value={one}>
                {t(`theme.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('settings.squares')}
          <select
            value={store.squares.value}
            onChange={event => (store.squares.value = event.currentTarget.value as store.Squares)}
          >
            {store.SQUARES.map(one => (
              <option key={one} value={one}>
                {t(`squares.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">{t('close')}</button>
      </form>
    </dialog>
  );
}
