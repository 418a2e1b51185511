import { lookUp, regional } from '../core/language.ts'
import { preferredIn } from '../http/accept-language.ts'
import { ar } from './words/ar.ts'
import { de } from './words/de.ts'
import { en, type Words as Texts } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { ja } from './words/ja.ts'

export type Words = Texts & {
  /** The tag by which times are written, if it is another: `en-GB`. */
  times?: string
}

/** The languages of the admin. */
export const LANGUAGES: readonly Words[] = [en, de, es, fr, ja, ar]

/** What the field of a translation's language offers, so that nobody has to know its tag. It takes every other tag too. */
export const OFTEN_USED: readonly string[] =
  'ar bn cs da de el en es fi fr he hi hu id it ja ko nb nl pl pt-BR pt-PT ro ru sv th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  )

const byTag = new Map(LANGUAGES.map((words) => [words.tag, words]))

/** The one that was chosen, else what the browser prefers, else English; with times as the browser's region has them. */
export function wordsFor(chosen: string | undefined, acceptLanguage: string | null): Words {
  const preferred = preferredIn(acceptLanguage)
  for (const range of [chosen ?? '', ...preferred, 'en']) {
    const found = lookUp(range, byTag)
    if (found) return { ...found, times: regional(found.tag, preferred) }
  }
  return en
}

export const timesOf = ({ tag, times = tag }: Words): string => times
