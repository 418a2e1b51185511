import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Html } from '../bar/html.ts'
import { languageFor } from '../bar/view.ts'
import { kept } from '../core/once.ts'
import {
  CACHE_HEADERS,
  createResource,
  pagePolicy,
  preferredIn,
  type Resource,
  staleness,
} from '../http/answer.ts'
import type { Asset, Reader, Site } from '../http/service.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { brought, suited } from './brought.ts'
import { type Locale, type Locales, shipped } from './locales.ts'
import { type FragmentInput, fragmentOf, renderPage } from './page.ts'

const SECURITY = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

/** Lets any site load the bar and its files, even a site that isolates itself (COEP). */
const EMBEDDABLE = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/**
 * Browsers cache the script, so that pages keep trying to load the bar while the service is down. A cached script may
 * contain an outdated bar, so the script checks its resource timing and uses its bar only after a network transfer. A
 * copy from a shared cache would pass that check, so shared caches must not store the script (contract R14).
 */
const SCRIPT = {
  ...SECURITY,
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'private, max-age=600, stale-while-revalidate=86400',
  Vary: 'Accept-Language, Accept-Encoding',
  ...EMBEDDABLE,
  'Timing-Allow-Origin': '*',
}

/**
 * Creates the responses for visitors: the page, and the files that the script tag loads.
 *
 * @param open whether there is a page at `/`
 */
export function createSite(locales: Locales, open = true): Site {
  /**
   * Renders once for each locale, translation and variant. When the announcement changes or ends, there is a new
   * snapshot, which clears the cache.
   *
   * @param language returns the tag that chooses among the translations
   */
  function cached(
    language: (reader: Reader, locale: Locale) => string,
    variantOf: (reader: Reader, snapshot: Snapshot, language: string) => string,
    render: (input: FragmentInput, variant: string) => Resource,
  ): Site['fragment'] {
    let rendered: Snapshot | undefined
    const resources = new Map<string, Resource>()
    return (snapshot, reader) => {
      if (snapshot !== rendered) resources.clear()
      rendered = snapshot
      const locale = locales.negotiate(reader.lang, reader.acceptLanguage)
      const wanted = language(reader, locale)
      const variant = variantOf(reader, snapshot, wanted)
      // The key contains the chosen tag, not the requested one, so that the translations limit the number of keys.
      const chosen = snapshot.event && languageFor(snapshot.event, wanted)
      return kept(resources, `${locale.tag} ${chosen} ${variant}`, () =>
        render({ snapshot, locale, language: wanted }, variant),
      )
    }
  }

  const page = cached(
    (_, locale) => locale.tag,
    () => '',
    (input) =>
      compressed(renderPage({ ...input, locales }), {
        ...htmlHeaders(input),
        'Content-Security-Policy': pagePolicy("'none'"),
        'Cross-Origin-Opener-Policy': 'same-origin',
      }),
  )

  const bar = (input: FragmentInput, styles?: string) => {
    // An embedded bar shows a fallback only from the owner's own locale files, not from the shipped files.
    const { fallback, tag: language } = input.locale
    const own = fallback && !locales.shipped ? { ...fallback, language } : null
    return fragmentOf({ ...input, fallback: own }, styles)
  }
  const texts = new Map<string, string>()
  const textOf = (name: string) =>
    kept(texts, name, () => readFileSync(shipped(`dist/${name}`), 'utf8'))
  const assets = new Map<Asset, Resource>()
  const styles = () => textOf('embed.css')
  /** Wraps the script in a block, because a page may have the script tag twice, and the declarations would clash. */
  const withCode = (suits?: string, bar?: Html) =>
    `{${brought(styles(), suits, bar)}${textOf('embed.js')}}`
  const script = cached(
    placeLanguage,
    ({ lang }, { event }, wanted) => {
      const { language, translations } = event ?? {}
      const known = [...locales.all.keys(), language ?? [], Object.keys(translations ?? {})].flat()
      return suited(wanted, !lang, known)
    },
    (input, suits) =>
      compressed(withCode(suits, bar(input)), { ...SCRIPT, ...staleness(input.snapshot) }),
  )

  return {
    page: open ? page : undefined,

    fragment: cached(
      placeLanguage,
      (reader) => (reader.styles ? 'styles' : ''),
      (input, variant) =>
        compressed(String(bar(input, variant ? styles() : undefined)), {
          ...htmlHeaders(input),
          ...EMBEDDABLE,
          // If somebody opens the fragment as a document, it can load and run nothing.
          'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        }),
    ),

    script: (snapshot, reader) =>
      snapshot ? script(snapshot, reader) : compressed(withCode(), SCRIPT),

    asset: (name) =>
      kept(assets, name, () =>
        compressed(textOf(name), {
          ...SECURITY,
          'Content-Type': `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
          // Browsers revalidate the file after ten minutes, so an upgrade of the service needs no change on the sites.
          'Cache-Control': 'public, max-age=600, stale-while-revalidate=86400',
          Vary: 'Accept-Encoding',
          ...EMBEDDABLE,
        }),
      ),
  }
}

/**
 * The language of a fragment: its `lang` parameter or, without one, the reader's first preference. All other
 * preferences are ignored, because a text with no known language may already be in the reader's preferred one (A15).
 */
function placeLanguage({ lang, acceptLanguage }: Reader, locale: Locale): string {
  return lang || (preferredIn(acceptLanguage)[0] ?? locale.tag)
}

const htmlHeaders = ({ snapshot, locale }: FragmentInput) => ({
  ...SECURITY,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Language': locale.tag,
  Vary: 'Accept-Language, Accept-Encoding',
  ...CACHE_HEADERS,
  ...staleness(snapshot),
})

function compressed(document: string, headers: Record<string, string>): Resource {
  const body = Uint8Array.from(Buffer.from(document))
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return createResource(body, `"${tag}"`, headers, Uint8Array.from(gzipSync(body, { level: 9 })))
}
