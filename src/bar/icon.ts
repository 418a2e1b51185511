/** Lucide's icons by name, for rendering on a server. The set is 610 KB and must never reach a browser. */
import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' }

/** The arrows at the end of the bar: for a link that opens in this tab, or in a new one. */
export const ARROW = '<path d="M5 12h14m-7-7l7 7l-7 7"/>'
export const ARROW_OUT = '<path d="M7 7h10v10M7 17L17 7"/>'

/** Loaded late: the service reads the set when it first renders an icon (tsdown.config.ts). */
const set: {
  readonly icons: Record<string, { body: string }>
  readonly aliases: Record<string, { parent: string }>
} = lucide

/**
 * Maps lower-case names without hyphens to icons. No rule turns PascalCase into kebab-case, because `ArrowDown01` is
 * `arrow-down-0-1`. Built in 7 ms, the first time that a name isn't an icon's current kebab-case name.
 */
let names: Map<string, string> | undefined

/**
 * The inside of an icon's `<svg viewBox="0 0 24 24">`.
 *
 * @param name kebab-case or PascalCase; Lucide's former names work too
 * @returns `null` if there is no such icon; the bar then shows the sparkle (contract A8)
 */
export function iconBody(name: string): string | null {
  const { icons } = set
  const own = Object.hasOwn(icons, name) ? name : ownName(name)
  return own === undefined ? null : (icons[own]?.body ?? null)
}

function ownName(name: string): string | undefined {
  names ??= new Map([
    ...Object.entries(set.aliases).map(([alias, { parent }]) => [squash(alias), parent] as const),
    ...Object.keys(set.icons).map((own) => [squash(own), own] as const),
  ])
  // A Map, because `icons['constructor']` would find what every object inherits.
  return names.get(squash(name))
}

function squash(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** The most icons that are shown at once. */
const MAX_FOUND = 48

/** The topics of most announcements, offered before a search: offers, news, products, dates. */
const OFTEN_USED =
  'gift tag badge-percent ticket-percent shopping-bag truck megaphone newspaper calendar-days rocket sparkles party-popper'.split(
    ' ',
  )

/**
 * Finds icons whose names or aliases contain all words of the query, or that a synonym names. An exact match comes
 * first, then synonyms, names that begin with the first word, other names, and aliases.
 *
 * @param synonyms names of icons, by words of a language
 */
export function iconsLike(
  query: string,
  synonyms: Readonly<Record<string, string>> = {},
): readonly string[] {
  const asked = query.trim().slice(0, 64).toLowerCase()
  // From the third letter, because many words begin with the same two. In other scripts, two characters may be a word.
  const isLong = (word: string) => word.length > 3 || /[^a-z]/.test(word)
  const meant = Object.entries(synonyms).flatMap(([word, names]) =>
    (isLong(word) ? asked.includes(word) : asked === word) ||
    (asked.length > 2 && word.startsWith(asked))
      ? names.split(' ')
      : [],
  )
  const words = asked.split(/[^a-z0-9]+/).filter((word) => word !== '')
  const [first = ''] = words
  if (first === '') return asked === '' ? OFTEN_USED : [...new Set(meant)]
  const matches = (name: string) => words.every((word) => name.includes(word))
  const found = Object.keys(set.icons).filter(matches)
  const begins = found.filter((name) => name.startsWith(first))
  const byAlias = Object.entries(set.aliases).flatMap(([alias, { parent }]) =>
    matches(alias) ? [parent] : [],
  )
  const exact = ownName(words.join('')) ?? []
  return [...new Set([exact, meant, begins, found, byAlias].flat())].slice(0, MAX_FOUND)
}
