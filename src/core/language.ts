/** Functions for BCP 47 language tags. This module has no imports, because the bar's components use it too. */

/** The length of the longest tag that the service accepts; all tags in use are shorter. */
export const MAX_TAG_LENGTH = 100

/** Two tags for Norwegian. If one has no match, try the other: many pages use `no`, but language lists use `nb`. */
const ALIKE: Record<string, string> = { no: 'nb', nb: 'no' }

/** A tag as BCP 47 writes it: many pages and frameworks write `de_DE` for `de-DE`, as POSIX does. */
export const hyphenated = (tag: string): string => tag.replaceAll('_', '-')

/**
 * Finds the best match for a language: the exact tag, else the tag without its last part, and so on (RFC 4647, lookup).
 * The script that the tag implies is tried before the language alone, so a page in `zh-TW` gets `zh-Hant`, not `zh`.
 * After the language alone, the language with its usual script is tried: `zh-Hans` for `zh`.
 *
 * @param range a BCP 47 tag, case-insensitive, with hyphens or underscores. If the tag is invalid, only its first parts
 *   can match
 * @param there the choices, keyed by their tags in lower case
 */
export function lookUp<T>(range: string, there: ReadonlyMap<string, T>): T | undefined {
  // Most tags match exactly, and expanding a tag to its script is slow.
  const exact = there.get(hyphenated(range).toLowerCase())
  return exact ?? firstOf(choicesFor(range), there)
}

/** Returns the value of the first choice that exists. */
export function firstOf<T>(
  choices: readonly string[],
  there: ReadonlyMap<string, T>,
): T | undefined {
  const key = choices.find((one) => there.has(one))
  return key === undefined ? undefined : there.get(key)
}

/** The tags that {@link lookUp} tries for a language, best first, in lower case. */
export function choicesFor(range: string): readonly string[] {
  // Only an attacker would exceed the limit, to waste CPU time.
  if (range === '' || range.length > MAX_TAG_LENGTH) return []
  // Stored tags are canonical, but a page may still use a deprecated tag, such as `iw` for `he`.
  const wanted = hyphenated(range)
  const current = canonicalTag(wanted)
  const alike = current && ALIKE[languageOf(current)]
  const all = [wanted, current ?? []].flat().flatMap((tag) => shortened(tag, current))
  return [...new Set(alike ? [...all, alike] : all)]
}

function shortened(range: string, current: string | undefined): string[] {
  const tag = range.toLowerCase()
  const language = languageOf(tag)
  const tags = [tag]
  for (let parts = shorter(tag.split('-')); parts.length > 1; parts = shorter(parts)) {
    tags.push(parts.join('-'))
  }
  return current
    ? [...tags, withScript(current), language, withScript(language)]
    : [...tags, language]
}

/**
 * The languages, without script or region, for which {@link lookUp} also tries this tag: `zh` for `zh-Hans`, `no` and
 * `nb` for `nb`.
 */
export function alsoNamed(tag: string): string[] {
  const language = languageOf(tag)
  const names = [language, ALIKE[language] ?? []].flat()
  return names.filter((name) => choicesFor(name).includes(tag.toLowerCase()))
}

/** A language with the script that its tag implies, in lower case: `zh-hant` for `zh-TW`. */
function withScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize()
  return `${language}-${script}`.toLowerCase()
}

const languageOf = (tag: string): string => tag.split('-', 1)[0] as string

/** Drops a tag's last part, along with a single letter that introduces it (RFC 4647, 3.4). */
function shorter(parts: string[]): string[] {
  const rest = parts.slice(0, -1)
  return rest.at(-1)?.length === 1 ? rest.slice(0, -1) : rest
}

const DIGITS = '-u-nu-latn'

/**
 * Adds the reader's region to a language, because date formats differ by region: `en-GB` for `en`. Only the region
 * comes from the reader's preferences, so a cache with these tags as keys stays small.
 *
 * @param preferred the reader's languages, in order of preference
 * @returns the tag, with a region if a preference for this language has one, and with Latin digits, which all numbers
 *   in the admin use
 */
export function regional(language: string, preferred: readonly string[]): string {
  for (const range of preferred) {
    const tag = canonicalTag(range)
    const { language: its, region } = tag === undefined ? {} : new Intl.Locale(tag)
    if (its === language && region !== undefined) return `${its}-${region}${DIGITS}`
  }
  return language + DIGITS
}

/** The canonical form of a tag (`pt-BR` for `pt-br`, `he` for `iw`), or `undefined` if the tag is invalid. */
export function canonicalTag(tag: string): string | undefined {
  // Canonicalizing a long string is slow.
  if (tag.length > MAX_TAG_LENGTH) return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/**
 * Whether a tag may name a real language. The syntax of tags also allows `german`, which isn't a language code. All
 * three-letter codes pass, because there are thousands of them and no runtime knows them all.
 */
export function mayBeLanguage(tag: string): boolean {
  const { language } = new Intl.Locale(tag)
  if (language.length === 3) return true
  // Created on first use, because the bar's components load this file but never call `mayBeLanguage`.
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  return names.of(language) !== undefined
}

let names: Intl.DisplayNames | undefined

/**
 * Creates a function that returns a language's name in the reader's language, or `undefined` for an unknown language.
 * Creating the returned function costs more than calling it.
 */
export function languageNamer(reader: string): (tag: string) => string | undefined {
  const names = new Intl.DisplayNames(reader, { type: 'language', fallback: 'none' })
  return (tag) => {
    try {
      return names.of(tag)
    } catch {
      // `names.of` throws if the tag is invalid.
      return undefined
    }
  }
}

/**
 * Maps language names to tags. Each language is listed under its own name, such as `Deutsch`, and under its name in
 * each reader's language.
 *
 * @param tags the BCP 47 tags to name
 */
export function languageNames(tags: readonly string[], readers: readonly string[]) {
  // People write "Portuguese" without a region, and "Norwegian" may mean `no` or `nb`.
  const wider = tags.flatMap((tag) => [tag.replace(/-.*/, ''), ALIKE[tag] ?? tag])
  const all = [...new Set([...tags, ...wider])]
  const known = new Map<string, string>()
  const inTheirs = readers.map((reader) => new Intl.DisplayNames(reader, { type: 'language' }))
  for (const tag of all) {
    for (const names of [...inTheirs, new Intl.DisplayNames(tag, { type: 'language' })]) {
      const name = folded(names.of(tag) ?? tag)
      if (!known.has(name)) known.set(name, tag)
    }
  }
  return known
}

/**
 * Turns a language as a person wrote it into a tag: `Deutsch` or `german` into `de`, `en_US` into `en-US`, `Brazilian`
 * into `pt-BR`. Returns tags and unknown names unchanged.
 *
 * @param known returns the tags by name; called only for text that isn't a tag
 */
export function tagFor(written: string, known: () => ReadonlyMap<string, string>): string {
  const isTag = (tag: string) => canonicalTag(tag) !== undefined && mayBeLanguage(tag)
  if (written === '' || isTag(written)) return written
  if (isTag(hyphenated(written))) return hyphenated(written)
  const name = folded(written)
  const exact = known().get(name)
  if (exact !== undefined) return exact
  const [only, ...others] = [...known()].filter(([one]) => one.startsWith(`${name} `))
  return only && others.length === 0 ? only[1] : written
}

/** Lower-cases a name and removes its accents, because many people type neither capitals nor accents. */
const folded = (name: string) => name.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

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
