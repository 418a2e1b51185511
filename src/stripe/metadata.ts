import { type Draft, isIconName, linkProblem, textProblem } from '../core/announcement.ts'
import { canonicalTag } from '../core/language.ts'
import { MAX_LANGUAGES, MAX_TEXT_BYTES, utf8Length } from '../core/schema.ts'

/** What a coupon's metadata says about its announcement (contract T5). */
export interface Parts {
  text?: string
  slug?: string
  icon?: string
  translations: Draft['translations']
  /** What is wrong with an entry, a sentence each. That entry is left out. */
  faults: string[]
}

const TEXT = 'placard_text'

/**
 * Reads what metadata says about an announcement. Keys are held to those that begin with `placard_`; all else in the
 * metadata is the shop's own.
 *
 * @param name the text where the metadata has none
 */
export function partsIn(
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  name = '',
): Parts {
  const parts: Parts = { translations: null, faults: [] }
  const texts = new Map<string, string>()
  // The text comes first, so that texts in other languages never take its room.
  const entries = Object.entries(metadata ?? {}).toSorted(([a], [b]) => rank(a) - rank(b))
  for (const [key, given] of entries) {
    if (!key.startsWith('placard_')) continue
    const value = typeof given === 'string' ? given.trim() : ''
    const fault = take(key, value)
    if (fault) parts.faults.push(`${key} ${fault}`)
  }
  if (texts.size > 0) parts.translations = Object.fromEntries(texts)
  return parts

  function take(key: string, value: string): string | undefined {
    if (key === TEXT || key.startsWith(`${TEXT}_`)) {
      return textProblem(value) ?? takeText(key.slice(TEXT.length), value)
    }
    if (key === 'placard_link') {
      const problem = linkProblem(value)
      if (!problem) parts.slug = value
      return problem
    }
    if (key !== 'placard_icon') return 'is not a key that Placard knows'
    if (!isIconName(value)) return 'must be 1 to 64 letters, digits and hyphens'
    parts.icon = value
    return undefined
  }

  /** @param given an underscore and the language's tag, or nothing for the text itself */
  function takeText(given: string, text: string): string | undefined {
    // In Stripe's dashboard people write keys with underscores, as in `placard_text_pt_BR`.
    const tag = given === '' ? '' : canonicalTag(given.slice(1).replaceAll('_', '-'))
    if (tag === undefined) return 'does not end in a language tag (BCP 47), as in "de" or "pt_BR"'
    if (texts.has(tag)) return `is the same language as another entry: ${tag}`
    const bytes = utf8Length([parts.text ?? name, ...texts.values(), text].join(''))
    if (bytes > MAX_TEXT_BYTES) return `is one text too many: ${MAX_TEXT_BYTES} bytes in all`
    if (tag === '') parts.text = text
    else if (texts.size >= MAX_LANGUAGES) return `is one too many: ${MAX_LANGUAGES} languages`
    else texts.set(tag, text)
    return undefined
  }
}

function rank(key: string): number {
  return key === TEXT ? 0 : 1
}
