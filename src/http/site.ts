import type { Tree } from '../core/tree.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Include } from './include-parameters.ts'
import type { Resource } from './resource.ts'

/** What visitors are served, apart from the API: a page, the bar by itself, and the files that both load. */
export interface Site {
  /** Renders the page at `/`. Without this function, `/` returns 404. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar of the embedded element, or that of the page at `/`. */
  bars(kind: BarKind, snapshot: Snapshot): Bars
  /** The response with the bar in one language, as JSON. */
  bar(kind: BarKind, snapshot: Snapshot, tag: string): Resource
  /** The bar as a declarative shadow root, which a site's server inserts into its pages (contract R15). */
  include(snapshot: Snapshot, include: Include): Resource
  /** The script that the script tag loads, with the bar in all languages if the snapshot is known. */
  script(snapshot: Snapshot | undefined): Resource
  /** A file that changes only with the version of the service. */
  asset(name: Asset): Resource
}

/** The files that the page at `/` and embedding pages load, besides `/embed.js`. */
export const ASSETS = ['page.js', 'placard.css', 'page.css'] as const

/** The name of a file of the site. Its path is `/` and this name. */
export type Asset = (typeof ASSETS)[number]

/** The parts of a request on which the language of the page at `/` depends. */
export interface Reader {
  /** The `lang` in the query. */
  lang: string | null
  /** The header `Accept-Language`. */
  acceptLanguage: string | null
}

/** The bar of the embedded element, or that of the page at `/`, which can't be dismissed and may show a fallback. */
export type BarKind = 'embed' | 'page'

/** A snapshot's bar in every language. */
export interface Bars {
  /** Changes with anything that any of the bars shows, even a label. */
  id: string
  /** The trees by canonical language tag; `''` is for all other languages. */
  trees: Readonly<Record<string, Tree>>
  /** Returns the bar in the language that suits a BCP 47 tag best (contract A15). */
  in(tag: string): Bar
  /** Like `in`, for the tags that `choicesFor` returned. */
  of(choices: readonly string[]): Bar
}

/** The bar in one language. */
export interface Bar {
  /** The language, as a BCP 47 tag; `''` if the tag that was asked for has no bar of its own. */
  lang: string
  /** The bar as elements. */
  tree: Tree
  /** The body of `GET /embed.json`, which is also the stream's message: `id`, `lang`, `langs`, `dir` and `tree`. */
  json: string
}
