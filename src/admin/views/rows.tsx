/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Announcement, Draft, Scheduled } from '../../core/announcement.ts'
import type { Board } from '../../core/board.ts'
import { stampOf } from '../conflict.ts'
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

/** An announcement in a list, with what can be done about it. */
export function Row({
  one,
  words,
  base,
  label,
  shows,
  children,
}: Pick<BoardProps, 'words' | 'base'> & {
  one: Announcement | Scheduled
  /** Of the button that removes it. */
  label: string
  shows?: boolean
  children: Child
}) {
  const { next, types } = words
  return (
    <li id={`row-${one.id}`} data-shows={shows || undefined}>
      <span class="type">{types[one.type]}</span>
      <div>
        <p class="content">
          <bdi class="words">{one.text}</bdi> <bdi class="link">{one.slug}</bdi>
          <Languages of={one} words={words} />
        </p>
        {children}
      </div>
      <div class="actions">
        <a href={`${base}?edit=${one.id}`} data-deed>
          {next.edit}
        </a>
        <a href={`${base}?copy=${one.id}`} data-deed>
          {next.duplicate}
        </a>
        <Press {...{ base, path: 'withdraw', id: one.id, was: stampOf(one), label }} />
      </div>
    </li>
  )
}

/** The languages of a text's translations, if there are any. */
export function Languages(props: { of: Partial<Pick<Draft, 'translations'>>; words: Words }) {
  const { of, words } = props
  const tags = Object.keys(of.translations ?? {})
  if (tags.length === 0) return null
  return <span class="tags">{`${words.now.languages}: ${tags.join(', ')}`}</span>
}

/** A button that acts at once: it takes an announcement down, unschedules it, or undoes an entry. */
export function Press(props: {
  base: string
  path: 'withdraw' | 'undo'
  id: string
  /** The stamp of the row. */
  was?: string
  /** The page that the answer updates, if it isn't the first. */
  view?: 'history' | false
  label: string
}) {
  const { base, path, id, was, view, label } = props
  return (
    <form method="post" action={`${base}/${path}`} data-deed>
      <input type="hidden" name="id" value={id} />
      {was && <input type="hidden" name="was" value={was} />}
      {view && <input type="hidden" name="view" value={view} />}
      <button type="submit">{label}</button>
    </form>
  )
}
