/** Lucide's icons by name, for rendering on a server. The set is 610 KB and must never reach a browser. */
import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' }
import { h, type Tree } from '../core/tree.ts'

/** The arrows at the end of the bar: `ARROW` for a link that opens in this tab, `ARROW_OUT` for a new tab. */
export const ARROW = [h('path', { d: 'M5 12h14m-7-7l7 7l-7 7' })]
export const ARROW_OUT = [h('path', { d: 'M7 7h10v10M7 17L17 7' })]

/** Loaded lazily: the service reads the icon set when it first renders an icon (see tsdown.config.ts). */
const set: {
  readonly icons: Record<string, { body: string }>
  readonly aliases: Record<string, { parent: string }>
} = lucide

/**
 * Maps lower-case names without hyphens to icon names, because no rule turns PascalCase into kebab-case: `ArrowDown01`
 * is `arrow-down-0-1`. The map takes 7 ms to build, and is only built for a search or a name that isn't in `icons`.
 */
let names: Map<string, string> | undefined

/**
 * Returns the content of an icon's `<svg viewBox="0 0 24 24">`.
 *
 * @param name kebab-case or PascalCase; Lucide's former names work too
 * @returns `null` if there is no such icon; the bar then shows the sparkle (contract A8)
 */
export function iconBody(name: string): string | null {
  const { icons } = set
  const own = Object.hasOwn(icons, name) ? name : ownName(name)
  return own === undefined ? null : (icons[own]?.body ?? null)
}

/** Whether there is an icon with this name. */
export const knowsIcon = (name: string): boolean => iconBody(name) !== null

/** Matches a tag in the icon set, whose markup has no text and no entities. */
const TAG = /<(\/?)([a-zA-Z]+)([^>]*?)(\/?)>/g
const ATTRIBUTE = / ([\w-]+)="([^"]*)"/g

/** Like {@link iconBody}, but returns trees. */
export function iconTree(name: string): readonly Tree[] | null {
  const body = iconBody(name)
  if (body === null) return null
  type Open = [string, Record<string, string>, ...Open[]]
  const open: Open[] = [['svg', {}]]
  for (const [, ends, tag = '', written = '', isEmpty] of body.matchAll(TAG)) {
    const parent = open.at(-1) as Open
    if (ends) open.pop()
    else {
      const pairs = Array.from(written.matchAll(ATTRIBUTE), ([, key, value]) => [key, value])
      const element: Open = [tag, Object.fromEntries(pairs)]
      parent.push(element)
      if (!isEmpty) open.push(element)
    }
  }
  const [, , ...trees] = open[0] as Open
  return trees
}

function ownName(name: string): string | undefined {
  names ??= new Map([
    ...Object.entries(set.aliases).map(([alias, { parent }]) => [squash(alias), parent] as const),
    ...Object.keys(set.icons).map((own) => [squash(own), own] as const),
  ])
  // `names` is a Map, because in an object, the key `constructor` would find an inherited property.
  return names.get(squash(name))
}

function squash(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** The maximum number of icons shown at once. */
const MAX_FOUND = 48

/** Icons for common topics (offers, news, products, dates), suggested before a search. */
const OFTEN_USED =
  'gift tag badge-percent ticket-percent shopping-bag truck megaphone newspaper calendar-days rocket sparkles party-popper'.split(
    ' ',
  )

/**
 * Finds icons whose names or aliases contain all words of the query, and icons that a synonym maps to. An exact match
 * comes first, then synonyms, names that begin with the first word, other names, and aliases.
 *
 * @param synonyms icon names, separated by spaces, keyed by a word in the reader's language
 */
export function iconsLike(
  query: string,
  synonyms: Readonly<Record<string, string>> = {},
): readonly string[] {
  const asked = query.trim().slice(0, 64).toLowerCase()
  // A query of three letters or more matches the start of a synonym. The query may also contain a synonym, but a short
  // Latin one, such as `new`, must be the whole query. In other scripts, even two characters may be a word.
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
