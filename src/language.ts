/** Languages by their BCP 47 tags. No imports on purpose: servers and scripts in a browser share these rules. */

/** No tag in use is longer. */
export const MAX_TAG_LENGTH = 100

/**
 * Finds what fits a language best: the exact tag, else the tag without its last part, and so on (RFC 4647, lookup).
 *
 * @param range a BCP 47 tag; letter case doesn't matter. Anything else finds nothing, or what its beginning names
 * @param there what to choose from, by its tag in lower case
 */
export function lookUp<T>(range: string, there: ReadonlyMap<string, T>): T | undefined {
  // A longer range can only be meant to cost time. An empty one is no language, and refusing it later takes 50 µs.
  if (range === '' || range.length > MAX_TAG_LENGTH) return undefined
  const found = widening(range, there)
  if (found !== undefined) return found
  // What is stored has the current tag, but a page may still have a former one: `iw` for `he`.
  const current = canonicalTag(range)
  return current === undefined ? undefined : widening(current, there)
}

function widening<T>(range: string, there: ReadonlyMap<string, T>): T | undefined {
  for (let parts = range.toLowerCase().split('-'); parts.length > 0; parts = shorter(parts)) {
    const found = there.get(parts.join('-'))
    if (found !== undefined) return found
  }
  return undefined
}

/** A single letter only introduces the part after it, so both are dropped (RFC 4647, 3.4). */
function shorter(parts: string[]): string[] {
  const rest = parts.slice(0, -1)
  return rest.at(-1)?.length === 1 ? rest.slice(0, -1) : rest
}

/** The current form of a tag (`pt-BR` for `pt-br`, `he` for `iw`), or `undefined` if it isn't a tag. */
export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/**
 * Whether there may be such a language. The syntax of a tag alone allows `german`, which no reader's page asks for. Of
 * three letters there are thousands, and no platform knows them all.
 */
export function mayBeLanguage(tag: string): boolean {
  const { language } = new Intl.Locale(tag)
  if (language.length === 3) return true
  // Not made with the file, because scripts in a browser load it and never ask.
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  return names.of(language) !== undefined
}

let names: Intl.DisplayNames | undefined

const RIGHT_TO_LEFT = new Set(
  'Adlm Arab Aran Gara Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa Yezi'.split(' '),
)

/** The direction in which a language is written; `auto` if its tag isn't valid. */
export function directionOf(tag: string): 'ltr' | 'rtl' | 'auto' {
  try {
    const { script } = new Intl.Locale(tag).maximize()
    return script !== undefined && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr'
  } catch {
    return 'auto'
  }
}
