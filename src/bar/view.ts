/**
 * The display rules (spec 2) as a pure function: what to render, or nothing.
 *
 * The rules for writing also apply to rendering. So neither a row that is older than a rule nor an edited fallback file
 * can put a script or a stranger's host behind the bar (contract A7).
 */
import { directionOf, lookUp } from '../core/language.ts'
import { iconFault, linkFault, textFault } from '../core/rules.ts'

/** The content of a bar, from an answer of the API, a store or a locale file. */
export interface BarContent {
  text: string
  /** One of the announcement types. With any other, the link opens in the same tab (display rule 3). */
  type: string
  slug: string
  icon?: string | null | undefined
  /** The text in other languages, by BCP 47 tag (contract A15). */
  translations?: Readonly<Record<string, string>> | null | undefined
  /** The language of the text itself, as a BCP 47 tag (contract A15). */
  language?: string | undefined
}

/** What to render. */
export interface View {
  text: string
  /** The language of the text if it is known, and its direction (contract A15). */
  lang: string | undefined
  dir: 'ltr' | 'rtl' | 'auto'
  href: string
  /** Only a product opens in a new tab, which gets no handle on the page. */
  target: '_blank' | undefined
  rel: 'noopener' | undefined
  /** The name of an icon, or `null` for the sparkle. */
  icon: string | null
  from: 'event' | 'fallback'
}

/**
 * The event; if there is none that may be shown, the fallback; without that, nothing (display rule 1).
 *
 * @param language BCP 47 tag of the place where it shows. Without it, `text` is shown
 */
export function chooseView(
  event: BarContent | null | undefined,
  fallback: BarContent | null | undefined,
  language?: string | undefined,
): View | null {
  return viewOf(event, 'event', language) ?? viewOf(fallback, 'fallback', language)
}

/** The tag whose text a language gets: the exact tag, else a wider one (RFC 4647, lookup), else none. */
export function languageFor(
  content: Pick<BarContent, 'translations' | 'language'>,
  language: string | undefined,
): string | undefined {
  const tags = [content.language, ...Object.keys(content.translations ?? {})]
  const known = tags.filter((tag) => typeof tag === 'string')
  // Most announcements have no translations, and every request for the page asks, so this returns early.
  if (!language || known.length === 0) return undefined
  return lookUp(language, new Map(known.map((tag) => [tag.toLowerCase(), tag])))
}

function viewOf(
  content: BarContent | null | undefined,
  from: View['from'],
  language: string | undefined,
): View | null {
  if (!content || typeof content.text !== 'string' || typeof content.slug !== 'string') return null
  const text = content.text.trim()
  const href = content.slug.trim()
  if (textFault(text) || linkFault(href)) return null
  const newTab = content.type === 'product'
  return {
    ...inLanguage(content, text, language),
    href,
    target: newTab ? '_blank' : undefined,
    rel: newTab ? 'noopener' : undefined,
    icon: typeof content.icon === 'string' && !iconFault(content.icon) ? content.icon : null,
    from,
  }
}

/** A translation must satisfy the rules of the text, or it is ignored. */
function inLanguage(content: BarContent, text: string, language: string | undefined) {
  const tag = languageFor(content, language)
  const translation = tag === undefined ? undefined : content.translations?.[tag]
  const fits = typeof translation === 'string' && !textFault(translation.trim())
  const lang = fits ? tag : content.language
  return {
    text: fits ? translation.trim() : text,
    lang,
    dir: lang === undefined ? ('auto' as const) : directionOf(lang),
  }
}
