/**
 * The display rules (spec 2) as a pure function: what to render, or nothing.
 *
 * The rules that validate a write also apply to rendering. So neither a row that is older than a rule nor an edited
 * fallback file can make the bar link to a script or to `//host` (contract A7).
 */
import { directionOf, hyphenated, lookUp } from '../core/language.ts'
import { iconFault, linkFault, textFault } from '../core/rules.ts'

/** The content of a bar, from an API response, a store or a locale file. */
export interface BarContent {
  /** Identifies the announcement in the bar's DOM events. */
  id?: string | undefined
  text: string
  /** One of the announcement types. Only a product's link opens in a new tab (display rule 3). */
  type: string
  slug: string
  icon?: string | null | undefined
  /** The text in other languages, by BCP 47 tag (contract A15). */
  translations?: Readonly<Record<string, string>> | null | undefined
  /** The links for readers of other languages, by BCP 47 tag (contract A19). */
  slugs?: Readonly<Record<string, string>> | null | undefined
  /** The language of the text itself and of `slug`, as a BCP 47 tag (contract A15, A19). */
  language?: string | undefined
  /** The end of the announcement: milliseconds since 1970 (contract A9). */
  expiresAt?: number | string | null | undefined
  /** When the announcement was published: milliseconds since 1970 (contract R1). */
  timestamp?: number | string | bigint | null | undefined
}

/**
 * Chooses the event or, if it is missing or invalid, the fallback (display rule 1). Returns `null` if neither is valid.
 *
 * @param language BCP 47 tag of the language around the bar. Without a tag, the bar shows `text`
 */
export function chooseView(
  event: BarContent | null | undefined,
  fallback: BarContent | null | undefined,
  language?: string | undefined,
) {
  return viewOf(event, language) ?? viewOf(fallback, language)
}

/** Returns the tag of the text that best matches a language (contract A15), or `undefined`. */
export const languageFor = (
  { language, translations }: Pick<BarContent, 'translations' | 'language'>,
  wanted: string | undefined,
): string | undefined => bestOf(translations, language, wanted)

/** Returns the tag that best matches a language: a key of `values`, or `own`, the tag of the default value. */
function bestOf(
  values: BarContent['translations'],
  own: string | undefined,
  language: string | undefined,
): string | undefined {
  const known = [own, ...Object.keys(values ?? {})].filter((tag) => typeof tag === 'string')
  // Returns early, because most announcements have no translations, and an app may render the bar on each request.
  if (!language || known.length === 0) return undefined
  return lookUp(language, new Map(known.map((tag) => [hyphenated(tag).toLowerCase(), tag])))
}

function viewOf(content: BarContent | null | undefined, language: string | undefined) {
  if (!content || typeof content.text !== 'string' || typeof content.slug !== 'string') return null
  const { type, icon, expiresAt: until, timestamp: since } = content
  const text = content.text.trim()
  const href = content.slug.trim()
  if (textFault(text) || linkFault(href)) return null
  return {
    ...inLanguage(content, text, language),
    type,
    href: linkIn(content, href, language),
    /** The text in the announcement's own language, which identifies a dismissal in all languages. */
    original: text,
    id: content.id,
    until,
    since,
    /** The name of an icon, or `null` for the sparkle. */
    icon: typeof icon === 'string' && !iconFault(icon) ? icon : null,
    // Only a product opens in a new tab. `noopener` keeps the product's page from controlling this one.
    target: type === 'product' ? '_blank' : undefined,
    rel: type === 'product' ? 'noopener' : undefined,
  }
}

/** Chooses the link for a language. A link that breaks the rules for links is ignored. */
function linkIn({ slugs, language: own }: BarContent, href: string, language: string | undefined) {
  const link = slugs?.[bestOf(slugs, own, language) ?? '']
  return typeof link === 'string' && !linkFault(link.trim()) ? link.trim() : href
}

/** Chooses the text for a language. A translation that breaks the rules for texts is ignored. */
function inLanguage(content: BarContent, text: string, language: string | undefined) {
  const tag = languageFor(content, language)
  const translation = tag === undefined ? undefined : content.translations?.[tag]
  const fits = typeof translation === 'string' && !textFault(translation.trim())
  const own = fits ? tag : content.language
  const lang = own && hyphenated(own)
  return {
    text: fits ? translation.trim() : text,
    lang,
    dir: lang === undefined ? 'auto' : directionOf(lang),
  }
}
