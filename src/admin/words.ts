import { preferredIn } from '../http/accept-language.ts'
import { lookUp } from '../language.ts'
import { ar } from './words/ar.ts'
import { de } from './words/de.ts'
import { en, type Words } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { ja } from './words/ja.ts'

export type { Words } from './words/en.ts'

/** The languages of the admin. */
export const LANGUAGES: readonly Words[] = [en, de, es, fr, ja, ar]

const byTag = new Map(LANGUAGES.map((words) => [words.tag, words]))

/** The one that was chosen, else what the browser prefers, else English. */
export function wordsFor(chosen: string | undefined, acceptLanguage: string | null): Words {
  for (const range of [chosen ?? '', ...preferredIn(acceptLanguage)]) {
    const found = lookUp(range, byTag)
    if (found) return found
  }
  return en
}
