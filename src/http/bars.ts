import type { Tree } from '../core/tree.ts'

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
  tree: Tree
  /** The body of `GET /embed.json`, which is also the stream's message: `id`, `lang`, `langs`, `dir` and `tree`. */
  json: string
}
