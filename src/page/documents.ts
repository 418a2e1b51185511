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
  const cache = () => createPageCache<Snapshot, Locale, Representation>()
  const pages = { fixed: cache(), dismissible: cache() }
  const fragments = { fixed: cache(), dismissible: cache() }
  const assets = new Map<AssetName, Representation>()

  return {
    page(snapshot, { lang, dismissible, acceptLanguage, acceptEncoding, ifNoneMatch }) {
      const locale = locales.negotiate(lang, acceptLanguage)
      const cached = pages[dismissible ? 'dismissible' : 'fixed']
      const page = cached(snapshot, locale, () =>
        represent(renderPage({ snapshot, locale, locales, dismissible }), {
          ...htmlHeaders(snapshot, locale),
          'Content-Security-Policy': POLICY,
          'Cross-Origin-Opener-Policy': 'same-origin',
        }),
      )
      return page.answer(acceptEncoding, ifNoneMatch)
    },

    fragment(snapshot, { lang, dismissible, acceptLanguage, acceptEncoding, ifNoneMatch }) {
      const locale = locales.negotiate(lang, acceptLanguage)
      const cached = fragments[dismissible ? 'dismissible' : 'fixed']
      const fragment = cached(snapshot, locale, () =>
        represent(renderFragment({ snapshot, locale, dismissible }), {
          ...htmlHeaders(snapshot, locale),
          ...EMBEDDABLE,
          // Opened on its own, as a document, it may do nothing.
          'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        }),
      )
      return fragment.answer(acceptEncoding, ifNoneMatch)
    },

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

function htmlHeaders(snapshot: Snapshot, locale: Locale): Record<string, string> {
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
