/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Draft } from '../../core/announcement.ts'
import type { Board } from '../../core/board.ts'
import type { Words } from '../words.ts'

export interface BoardProps {
  words: Words
  base: string
  board: Board
  /** Milliseconds since 1970. */
  now: number
}

export type BoardState = BoardProps & {
  /** What the script compares to find out whether anything is new. */
  state: string
}

/** A text with its link, as a row of a list shows it. */
export function Content({
  draft,
  words,
}: {
  draft: Pick<Draft, 'text' | 'slug' | 'translations'>
  words: Words
}): JSX.Element {
  return (
    <p class="content">
      <bdi class="words">{draft.text}</bdi> <bdi class="link">{draft.slug}</bdi>
      <Languages of={draft} words={words} />
    </p>
  )
}

/** The languages of a text's translations, if there are any. */
export function Languages({
  of,
  words,
}: {
  of: Partial<Pick<Draft, 'translations'>>
  words: Words
}): JSX.Element | null {
  const tags = Object.keys(of.translations ?? {})
  if (tags.length === 0) return null
  return <span class="tags">{`${words.now.languages}: ${tags.join(', ')}`}</span>
}

/** A button that acts at once: it takes an announcement down, unschedules it, or undoes an entry. */
export function Press({
  base,
  path,
  id,
  was,
  view,
  label,
}: {
  base: string
  path: 'withdraw' | 'undo'
  id: string
  /** The stamp of the row. */
  was?: string
  /** The page that the answer updates, if it isn't the first. */
  view?: 'history' | false
  label: string
}): JSX.Element {
  return (
    <form method="post" action={`${base}/${path}`} data-deed>
      <input type="hidden" name="id" value={id} />
      {was && <input type="hidden" name="was" value={was} />}
      {view && <input type="hidden" name="view" value={view} />}
      <button type="submit">{label}</button>
    </form>
  )
}
