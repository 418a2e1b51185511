import { type Draft, MAX_LANGUAGES, MAX_TEXT_BYTES, utf8Length } from '../core/announcement.ts'
import { canonicalTag } from '../core/language.ts'
import { type MessageCode, say } from '../core/messages.ts'
import { type Fault, iconFault, linkFault, textFault } from '../core/rules.ts'

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
      return said(textFault(value)) ?? takeText(key.slice(TEXT.length), value)
    }
    if (key === 'placard_link') {
      const fault = linkFault(value)
      if (!fault) parts.slug = value
      return said(fault)
    }
    if (key !== 'placard_icon') return 'is not a key that Placard knows'
    const fault = iconFault(value)
    if (!fault) parts.icon = value
    return said(fault)
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

const said = (fault: Fault<MessageCode> | undefined) => fault && say(fault.code, fault.params)

function rank(key: string): number {
  return key === TEXT ? 0 : 1
}
