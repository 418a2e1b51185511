import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dismissScript } from '../banner/placard.tsx'
import type { ReadAnswer } from '../http/reading.ts'
import type { Snapshot } from '../showing.ts'
import type { Locale, Locales } from './locales.ts'
import { shipped } from './package-root.ts'
import { renderFragment, renderPage } from './page.tsx'
import { createPageCache } from './page-cache.ts'
import { type Representation, represent } from './representation.ts'

/** What of a request decides which document is the answer, and in which form. */
export interface Asked {
  lang: string | null
  /** `?dismissible` offers to close the line; off unless asked for. */
  dismissible: boolean
  acceptLanguage: string | null
  acceptEncoding: string | null
  ifNoneMatch: string | null
}

/** The documents that a visitor gets, finished; whoever calls has only to write them out. */
export interface Documents {
  /** The page at `/`. */
  page(snapshot: Snapshot, asked: Asked): ReadAnswer
  /** The line by itself, for the script tag. */
  fragment(snapshot: Snapshot, asked: Asked): ReadAnswer
  asset(name: AssetName, asked: Pick<Asked, 'acceptEncoding' | 'ifNoneMatch'>): ReadAnswer
}

/** What a document depends on. */
interface Drawn {
  snapshot: Snapshot
  locale: Locale
  dismissible: boolean
}

export const ASSETS = {
  'embed.js': 'text/javascript; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'placard.css': 'text/css; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
} as const

export type AssetName = keyof typeof ASSETS

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

/** Any site may load the line and what belongs to it, also one that isolates itself (COEP). */
const EMBEDDABLE = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

export function createDocuments(locales: Locales): Documents {
  const assets = new Map<AssetName, Representation>()

  /** Drawn once for each locale, closable or not, until what is showing changes. */
  function cached(draw: (what: Drawn) => Representation): Documents['page'] {
    const fixed = createPageCache<Snapshot, Locale, Representation>()
    const closable = createPageCache<Snapshot, Locale, Representation>()
    return (snapshot, { lang, dismissible, acceptLanguage, acceptEncoding, ifNoneMatch }) => {
      const locale = locales.negotiate(lang, acceptLanguage)
      const pages = dismissible ? closable : fixed
      const page = pages(snapshot, locale, () => draw({ snapshot, locale, dismissible }))
      return page.answer(acceptEncoding, ifNoneMatch)
    }
  }

  return {
    page: cached((drawn) =>
      represent(renderPage({ ...drawn, locales }), {
        ...htmlHeaders(drawn),
        'Content-Security-Policy': POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
      }),
    ),

    fragment: cached((drawn) =>
      represent(renderFragment(drawn), {
        ...htmlHeaders(drawn),
        ...EMBEDDABLE,
        // Opened on its own, as a document, it may do nothing.
        'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      }),
    ),

    asset(name, { acceptEncoding, ifNoneMatch }) {
      let asset = assets.get(name)
      if (!asset) {
        asset = represent(readFileSync(shipped(`dist/${name}`)), {
          ...SECURITY,
          'Content-Type': ASSETS[name],
          // An upgrade reaches every site within ten minutes, without one of them having to do anything.
          'Cache-Control': 'public, max-age=600, stale-while-revalidate=86400',
          Vary: 'Accept-Encoding',
          ...EMBEDDABLE,
        })
        assets.set(name, asset)
      }
      return asset.answer(acceptEncoding, ifNoneMatch)
    },
  }
}

function htmlHeaders({ snapshot, locale }: Drawn): Record<string, string> {
  return {
    ...SECURITY,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': locale.tag,
    Vary: 'Accept-Language, Accept-Encoding',
    'Cache-Control': 'no-cache',
    'Cache-Tag': 'event',
    'Surrogate-Key': 'event',
    'Cache-Groups': '"event"',
    ...(snapshot.stale && { 'Placard-Stale': '1' }),
  }
}
