/** Languages by their BCP 47 tags. No imports on purpose: servers and scripts in a browser share these rules. */

/** No tag in use is longer. */
export const MAX_TAG_LENGTH = 100

/** Two names of one language. Pages have the one, lists of languages the other. */
const ALIKE: Record<string, string> = { no: 'nb', nb: 'no' }

/**
 * Finds what fits a language best: the exact tag, else the tag without its last part, and so on (RFC 4647, lookup). Where
 * that finds nothing, the script counts that the tag implies, so a page in `zh-CN` gets `zh-Hans`.
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
  if (current === undefined) return undefined
  const locale = new Intl.Locale(current)
  const { language } = locale
  return (
    widening(current, there) ??
    there.get(`${language}-${locale.maximize().script}`.toLowerCase()) ??
    there.get(ALIKE[language] ?? '')
  )
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

const DIGITS = '-u-nu-latn'

/**
 * A language as the region of somebody has it, who may write dates in another way than others who speak it: `en-GB` for
 * `en`. Nothing else of a tag is in it, so few are possible.
 *
 * @param preferred the best first
 * @returns the language itself if they prefer none of its regions; with digits as all other numbers of the admin have them
 */
export function regional(language: string, preferred: readonly string[]): string {
  for (const range of preferred) {
    const tag = canonicalTag(range)
    const { language: its, region } = tag === undefined ? {} : new Intl.Locale(tag)
    if (its === language && region !== undefined) return `${its}-${region}${DIGITS}`
  }
  return language + DIGITS
}

/** The current form of a tag (`pt-BR` for `pt-br`, `he` for `iw`), or `undefined` if it isn't a tag. */
export function canonicalTag(tag: string): string | undefined {
  // It takes much longer over a long one.
  if (tag.length > MAX_TAG_LENGTH) return undefined
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

/**
 * Gives what languages are called in the language of a reader, by their tags, or `undefined` for one that nobody knows of.
 * Making it costs more than a name.
 */
export function languageNamer(reader: string): (tag: string) => string | undefined {
  const names = new Intl.DisplayNames(reader, { type: 'language', fallback: 'none' })
  return (tag) => {
    try {
      return names.of(tag)
    } catch {
      // It is no tag.
      return undefined
    }
  }
}

/**
 * The tags of languages by what people call them: in the language itself, and in those of some readers.
 *
 * @param tags BCP 47, each one that is in use
 */
export function languageNames(
  tags: readonly string[],
  readers: readonly string[],
): ReadonlyMap<string, string> {
  // "Portuguese" doesn't say whose, and "Norwegian" doesn't say which.
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
 * What somebody wrote for a language, as its tag: `de` for `Deutsch` or `german`, `en-US` for `en_US`, `pt-BR` for
 * `Brazilian`. A tag stays as it is, and so does what nobody knows.
 *
 * @param known asked for only if it isn't a tag
 */
export function tagFor(written: string, known: () => ReadonlyMap<string, string>): string {
  const isTag = (tag: string) => canonicalTag(tag) !== undefined && mayBeLanguage(tag)
  if (written === '' || isTag(written)) return written
  const hyphenated = written.replaceAll('_', '-')
  if (isTag(hyphenated)) return hyphenated
  const name = folded(written)
  const exact = known().get(name)
  if (exact !== undefined) return exact
  const [only, ...others] = [...known()].filter(([one]) => one.startsWith(`${name} `))
  return only && others.length === 0 ? only[1] : written
}

/** Without capitals and accents, which many leave away. */
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
