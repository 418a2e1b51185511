/**
 * The display rules (spec 2) as a pure function: what to render, or nothing.
 *
 * The rules that guard writing guard drawing too, so a row from before a rule existed, or a hand-edited
 * fallback file, can't put a script or a stranger's host behind the bar (contract A7).
 */
import { isIconName, linkProblem, textProblem } from '../announcement.ts'
import { directionOf, lookUp } from '../language.ts'

/** The parts that are shown, as the API answers them, as a store keeps them, or as a locale file has them. */
export interface BarContent {
  text: string
  /** One of the announcement types; any other opens in the same tab (display rule 3). */
  type: string
  slug: string
  icon?: string | null | undefined
  /** The text in other languages, by BCP 47 tag (contract A15). */
  translations?: Readonly<Record<string, string>> | null | undefined
}

/** What to render. */
export interface View {
  text: string
  /** The language of the text where it is known, and its direction (contract A15). */
  lang: string | undefined
  dir: 'ltr' | 'rtl' | 'auto'
  href: string
  /** Only a product opens in a new tab, and then without a handle on the page it came from. */
  target: '_blank' | undefined
  rel: 'noopener' | undefined
  /** The name of an icon, or `null` for the sparkle. */
  icon: string | null
  /** Whether this is the event or the fallback. */
  from: 'event' | 'fallback'
}

/**
 * The event; without one that may be shown, the fallback; without that, nothing (display rule 1).
 *
 * @param language BCP 47 tag of the place where it shows; without it, `text` is shown
 */
export function view(
  event: BarContent | null | undefined,
  fallback: BarContent | null | undefined,
  language?: string | undefined,
): View | null {
  return viewOf(event, 'event', language) ?? viewOf(fallback, 'fallback', language)
}

/** Which translation a language gets: the exact tag, else a wider one (RFC 4647, lookup); else none. */
export function translationFor(
  { translations }: Pick<BarContent, 'translations'>,
  language: string | undefined,
): string | undefined {
  if (!translations || !language) return undefined
  const tags = Object.keys(translations).map((tag) => [tag.toLowerCase(), tag] as const)
  return lookUp(language, new Map(tags))
}

function viewOf(
  shown: BarContent | null | undefined,
  from: View['from'],
  language: string | undefined,
): View | null {
  if (!shown || typeof shown.text !== 'string' || typeof shown.slug !== 'string') return null
  const text = shown.text.trim()
  const href = shown.slug.trim()
  if (textProblem(text) !== undefined || linkProblem(href) !== undefined) return null
  const newTab = shown.type === 'product'
  return {
    ...inLanguage(shown, text, language),
    href,
    target: newTab ? '_blank' : undefined,
    rel: newTab ? 'noopener' : undefined,
    icon: typeof shown.icon === 'string' && isIconName(shown.icon) ? shown.icon : null,
    from,
  }
}

/** A translation is held to the rules of the text too; one that breaks them is none. */
function inLanguage(shown: BarContent, text: string, language: string | undefined) {
  const lang = translationFor(shown, language)
  const translation = lang === undefined ? undefined : shown.translations?.[lang]
  const fits = typeof translation === 'string' && textProblem(translation.trim()) === undefined
  if (lang === undefined || !fits) return { text, lang: undefined, dir: 'auto' as const }
  return { text: translation.trim(), lang, dir: directionOf(lang) }
}
