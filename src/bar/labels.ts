/**
 * The bar's texts for screen readers, by language. This module imports the locale files, because React apps can't read
 * them at run time.
 */
import ar from '../../locales/ar.json' with { type: 'json' }
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ja from '../../locales/ja.json' with { type: 'json' }

export type Labels = (typeof en)['bar']

const LOCALES = new Map(Object.entries({ ar, de, en, es, fr, ja }))

/** Returns the labels for a tag's language, without regard to its region: `de-AT` gets the labels of `de`. */
export const labelsFor = (locale = 'en'): Labels =>
  (LOCALES.get(locale.toLowerCase().replace(/[-_].*/, '')) ?? en).bar
