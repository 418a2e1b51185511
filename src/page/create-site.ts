import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { memoize } from '../core/once.ts'
import { CACHE_HEADERS, pagePolicy, staleness } from '../http/headers.ts'
import { createResource, type Resource } from '../http/resource.ts'
import type { Site } from '../http/site.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { createBars } from './bars.ts'
import { renderInclude } from './include.ts'
import { type Locale, type Locales, shipped } from './locales.ts'
import { renderPage } from './page.ts'

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
 * The headers of the embed script and of the bar as data, which change with the announcement. Browsers revalidate both
 * each time, so a page never shows an old bar from a cached script (contract R14).
 */
const EMBEDDED = { ...SECURITY, ...CACHE_HEADERS, Vary: 'Accept-Encoding', ...EMBEDDABLE }

/** If somebody opens a part of a page as a document, it can load and run nothing. */
const ALONE = {
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
}

/** The maximum number of cached variants of the bar in a page's HTML, because anyone can request any parameters. */
const MAX_INCLUDES = 64

/**
 * Creates the responses for visitors: the page, and what the script tag loads.
 *
 * @param open whether there is a page at `/`
 */
export function createSite(locales: Locales, open = true): Site {
  const kinds = {
    // An embedded bar shows a fallback only from the owner's own locale files, not from the shipped files.
    embed: createBars(locales, {
      embedded: true,
      fallback: (locale) => (locales.shipped ? null : fallbackOf(locale)),
    }),
    page: createBars(locales, { embedded: false, fallback: fallbackOf }),
  }
  const bars: Site['bars'] = (kind, snapshot) => kinds[kind](snapshot)

  const made = new WeakMap<Snapshot, Map<string, Resource>>()
  /**
   * Renders a document once for each snapshot and key. If a key contains a tag, it is the tag that matched, not the
   * requested one, so there are few keys.
   */
  function once(snapshot: Snapshot, key: string, render: () => Resource): Resource {
    const all = made.get(snapshot) ?? new Map<string, Resource>()
    made.set(snapshot, all)
    return memoize(all, key, render)
  }

  const included = new WeakMap<Snapshot, Map<string, Resource>>()

  const texts = new Map<string, string>()
  const textOf = (name: string) =>
    memoize(texts, name, () => readFileSync(shipped(`dist/${name}`), 'utf8'))
  const styles = () => textOf('placard.min.css')
  const assets = new Map<string, Resource>()
  /** Wraps the script in a block, because a page may have the script tag twice, and the declarations would clash. */
  const scriptWith = (state?: object, headers = {}) =>
    compressed(`{let BAR=${JSON.stringify(state ?? { trees: {} })};${textOf('embed.js')}}`, {
      'Content-Type': 'text/javascript; charset=utf-8',
      ...EMBEDDED,
      ...headers,
    })

  return {
    bars,
    page: open
      ? (snapshot, { lang, acceptLanguage }) => {
          const locale = locales.negotiate(lang, acceptLanguage)
          return once(snapshot, `/ ${locale.tag}`, () =>
            compressed(renderPage(bars('page', snapshot), stateOf(snapshot), locale, locales), {
              ...SECURITY,
              ...CACHE_HEADERS,
              'Content-Type': 'text/html; charset=utf-8',
              'Content-Language': locale.tag,
              Vary: 'Accept-Language, Accept-Encoding',
              'Content-Security-Policy': pagePolicy("'none'"),
              'Cross-Origin-Opener-Policy': 'same-origin',
              ...staleness(snapshot),
            }),
          )
        }
      : undefined,

    bar(kind, snapshot, tag) {
      const { lang, json } = bars(kind, snapshot).in(tag)
      return once(snapshot, `${kind} ${lang}`, () =>
        compressed(json, {
          'Content-Type': 'application/json',
          ...EMBEDDED,
          ...staleness(snapshot),
        }),
      )
    },

    include(snapshot, include) {
      const render = () => {
        const html = renderInclude(
          bars('embed', snapshot).in(include.lang ?? ''),
          include,
          styles(),
        )
        return createResource(...bytesOf(html), {
          'Content-Type': 'text/html; charset=utf-8',
          ...SECURITY,
          ...CACHE_HEADERS,
          ...EMBEDDABLE,
          ...ALONE,
          ...staleness(snapshot),
        })
      }
      // A nonce is good for one page.
      if (include.nonce) return render()
      const all = included.get(snapshot) ?? new Map<string, Resource>()
      included.set(snapshot, all)
      if (all.size >= MAX_INCLUDES) all.clear()
      return memoize(all, JSON.stringify(include), render)
    },

    script(snapshot) {
      if (!snapshot) return memoize(assets, 'embed.js', () => scriptWith())
      return once(snapshot, 'script', () => {
        const { id, trees } = bars('embed', snapshot)
        return scriptWith({ id, trees }, staleness(snapshot))
      })
    },

    asset: (name) =>
      memoize(assets, name, () =>
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

const fallbackOf = ({ fallback, tag: language }: Locale) => fallback && { ...fallback, language }

const stateOf = ({ etag }: Snapshot) => etag.replaceAll('"', '')

/** A document's bytes and its ETag. */
function bytesOf(document: string): [body: Uint8Array<ArrayBuffer>, etag: string] {
  const body = Uint8Array.from(Buffer.from(document))
  return [body, `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`]
}

function compressed(document: string, headers: Record<string, string>): Resource {
  const [body, etag] = bytesOf(document)
  return createResource(body, etag, headers, Uint8Array.from(gzipSync(body, { level: 9 })))
}
