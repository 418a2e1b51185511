import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { dismissScript } from '../banner/placard.tsx'
import { createResource, type Resource, TAGGED } from '../http/answer.ts'
import { staleness } from '../http/event-resource.ts'
import type { Asset, Site } from '../http/site.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Locale, Locales } from './locales.ts'
import { shipped } from './package-root.ts'
import { renderFragment, renderPage } from './page.tsx'
import { createPageCache } from './page-cache.ts'

/** What a document depends on. */
interface Contents {
  snapshot: Snapshot
  locale: Locale
  dismissible: boolean
}

const SECURITY = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

/** Nothing from elsewhere, nothing inline but the one script whose text is hashed here. */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(dismissScript).digest('base64')}'`,
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Any site may load the bar and what belongs to it, even one that isolates itself (COEP). */
const EMBEDDABLE = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** What a visitor sees: the page, and what the script tag loads. */
export function createSite(locales: Locales): Site {
  const assets = new Map<Asset, Resource>()

  /** Rendered once for each locale, closable or not, until what is showing changes. */
  function cached(render: (contents: Contents) => Resource): Site['page'] {
    const fixed = createPageCache<Snapshot, Locale, Resource>()
    const closable = createPageCache<Snapshot, Locale, Resource>()
    return (snapshot, { lang, acceptLanguage, dismissible }) => {
      const locale = locales.negotiate(lang, acceptLanguage)
      const cache = dismissible ? closable : fixed
      return cache(snapshot, locale, () => render({ snapshot, locale, dismissible }))
    }
  }

  return {
    page: cached((contents) =>
      compressed(renderPage({ ...contents, locales }), {
        ...htmlHeaders(contents),
        'Content-Security-Policy': POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
      }),
    ),

    fragment: cached((contents) =>
      compressed(renderFragment(contents), {
        ...htmlHeaders(contents),
        ...EMBEDDABLE,
        // Opened by itself, as a document, it may do nothing.
        'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      }),
    ),

    asset(name) {
      let asset = assets.get(name)
      if (!asset) {
        asset = compressed(readFileSync(shipped(`dist/${name}`)), {
          ...SECURITY,
          'Content-Type': `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
          // An upgrade reaches every site within ten minutes, without one of them having to do anything.
          'Cache-Control': 'public, max-age=600, stale-while-revalidate=86400',
          Vary: 'Accept-Encoding',
          ...EMBEDDABLE,
        })
        assets.set(name, asset)
      }
      return asset
    },
  }
}

function htmlHeaders({ snapshot, locale }: Contents): Record<string, string> {
  return {
    ...SECURITY,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': locale.tag,
    Vary: 'Accept-Language, Accept-Encoding',
    ...TAGGED,
    ...staleness(snapshot),
  }
}

function compressed(document: string | Uint8Array, headers: Record<string, string>): Resource {
  const body = Uint8Array.from(Buffer.from(document))
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return createResource(body, `"${tag}"`, headers, Uint8Array.from(gzipSync(body)))
}
