import type { Snapshot } from '../showing/snapshot.ts'
import type { Resource } from './answer.ts'

/** What visitors get beside the API: a page, the bar by itself, and the files that both load. */
export interface Site {
  /** The page at `/`. Without it, there is nothing at that path. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar by itself, for the script tag. */
  fragment(snapshot: Snapshot, reader: Reader): Resource
  asset(name: Asset): Resource
}

export const ASSETS = ['embed.js', 'page.js', 'placard.css', 'page.css'] as const

export type Asset = (typeof ASSETS)[number]

/** What decides which document a request gets. */
export interface Reader {
  lang: string | null
  acceptLanguage: string | null
  /** `?dismissible` offers to close the bar. */
  dismissible: boolean
}

export function readerOf(request: Request): Reader {
  const { searchParams } = new URL(request.url)
  return {
    lang: searchParams.get('lang'),
    acceptLanguage: request.headers.get('accept-language'),
    dismissible: searchParams.has('dismissible'),
  }
}
