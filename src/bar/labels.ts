/**
 * The bar's texts for screen readers, by language. They come from the locale files, which React apps don't have at run
 * time.
 */
import ar from '../../locales/ar.json' with { type: 'json' }
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ja from '../../locales/ja.json' with { type: 'json' }

export type Labels = (typeof en)['bar']

const LABELS = new Map<string, Labels>(
  Object.entries({ ar, de, en, es, fr, ja }).map(([tag, { bar }]) => [tag, bar]),
)

/** By the language alone: `de-AT` gets the labels of `de`. */
export const labelsFor = (locale = 'en'): Labels =>
  LABELS.get(locale.toLowerCase().split(/[-_]/)[0] ?? '') ?? en.bar
