/** What screen readers say about the bar, by language: from the locale files, which apps with React don't have beside them. */
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

/** By the language alone: `de-AT` gets what `de` gets. */
export const labelsFor = (locale = 'en'): Labels =>
  LABELS.get(locale.toLowerCase().split(/[-_]/)[0] ?? '') ?? en.bar
