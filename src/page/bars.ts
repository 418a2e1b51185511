import { createHash } from 'node:crypto'
import { barTree } from '../bar/markup.ts'
import { type BarContent, languageFor } from '../bar/view.ts'
import {
  alsoNamed,
  canonicalTag,
  directionOf,
  firstOf,
  hyphenated,
  lookUp,
} from '../core/language.ts'
import { memoize } from '../core/once.ts'
import { h, type Tree } from '../core/tree.ts'
import type { Bar, Bars } from '../http/site.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Locale, Locales } from './locales.ts'

/** The maximum number of cached language look-ups, because anyone can request any tag. */
const MAX_CHOSEN = 256
/** The placeholder content of an empty bar. */
const BLANK = { text: 'Text', type: 'post', slug: '/' }

export interface BarsOptions {
  /** The fallback of a locale, if this kind of bar shows one. */
  fallback(locale: Locale): BarContent | null
  /**
   * Whether to render the bar of the embedded element. That bar has a dismiss button, which the element removes if
   * readers can't dismiss the bar. With neither an announcement nor a fallback, it is a hidden placeholder, which the
   * element may fill in.
   */
  embedded: boolean
}

/**
 * Creates a function that renders a snapshot's bar in every language: those of the locale files and those of the
 * announcement's texts and links. It renders once for each snapshot, so any number of pages share the result.
 */
export function createBars(
  locales: Locales,
  { fallback, embedded }: BarsOptions,
): (snapshot: Snapshot) => Bars {
  function treeIn({ event }: Snapshot, tag: string): { dir: string | undefined; tree: Tree } {
    const locale = locales.negotiate(tag || null, null)
    const own = fallback(locale)
    // `und` matches no language, so the labels get a `lang` of their own.
    const language = tag || 'und'
    const props = {
      event,
      fallback: own,
      locale: locale.tag,
      labels: locale.bar,
      language,
      dismissible: embedded,
    }
    const blank = () => embedded && barTree({ ...props, event: BLANK }, { hidden: '' })
    const bar = barTree(props) ?? blank()
    const content = event ?? own
    const chosen = content && languageFor(content, language)
    // The text's direction decides where its arrow goes. If no text is known to be in this language, the bar has the
    // direction of the page around it.
    const dir = chosen ? directionOf(chosen) : undefined
    return { dir, tree: h('div', { dir }, bar) }
  }

  function render(snapshot: Snapshot): Bars {
    const { language, translations, slugs } = snapshot.event ?? {}
    const given = Object.keys({ ...translations, ...slugs })
    const own = [...locales.all.keys(), language ?? [], given].flat()
    // Scripts know only canonical tags, but an old row may have others.
    const tags = own
      .map((tag) => canonicalTag(hyphenated(tag)) ?? tag)
      .flatMap((tag) => [tag, ...alsoNamed(tag)])
    const keys = new Map(['', ...tags].map((tag) => [tag.toLowerCase(), tag]))
    const trees = Array.from(keys, ([key, tag]) => ({ key, ...treeIn(snapshot, tag) }))
    const id = createHash('sha256').update(JSON.stringify(trees)).digest('base64url').slice(0, 16)
    const all = new Map<string, Bar>(
      trees.map(({ key, dir, tree }) => {
        const lang = keys.get(key) as string
        const json = JSON.stringify({
          id,
          lang,
          langs: [...keys.values()],
          dir: dir ?? 'auto',
          tree,
        })
        return [key, { lang, tree, json }]
      }),
    )
    /**
     * The results of `in`, cached because looking up a language takes longer than the rest of a response from memory.
     */
    const chosen = new Map<string, Bar>()
    const known = new Map(tags.map((tag) => [tag.toLowerCase(), tag.toLowerCase()]))
    return {
      id,
      trees: Object.fromEntries(Array.from(all.values(), ({ lang, tree }) => [lang, tree])),
      in(tag) {
        if (chosen.size >= MAX_CHOSEN) chosen.clear()
        return memoize(chosen, tag, () => all.get(lookUp(tag, known) ?? '') as Bar)
      },
      of: (choices) => all.get(firstOf(choices, known) ?? '') as Bar,
    }
  }

  const rendered = new WeakMap<Snapshot, Bars>()
  return (snapshot) => {
    const bars = rendered.get(snapshot) ?? render(snapshot)
    rendered.set(snapshot, bars)
    return bars
  }
}
