import type { Announcement, Scheduled } from '../core/announcement.ts'
import { advance, type Board } from '../core/board.ts'
import { type HistoryEntry, isScheduled } from '../core/history.ts'
import { isBlank } from '../core/rules.ts'
import { tagOf, tagOfScheduled } from '../showing/snapshot.ts'
import type { Expectation, Store } from '../store/store.ts'
import type { Fields } from './form.ts'

/** What became of what a draft is about, since its author saw it (contract A17). */
export interface Conflict {
  /**
   * `gone`: what they edit is neither up nor scheduled any more. `changed`: it has been edited, or has started. `other`: it
   * would replace what they have not seen.
   */
  kind: 'gone' | 'changed' | 'other'
  /** Who did that, when and how; `undefined` if the history doesn't say (contract R8). */
  entry: HistoryEntry | undefined
  /** What stands there now. */
  theirs: Announcement | Scheduled | undefined
  /** What a form holds whose author was told of this. */
  told: string
  isTold: boolean
}

/** More than others do while somebody writes. */
const ENTRIES = 50

/** What a stamp is of what isn't there. */
const NONE = 'none'

/** Changes with every word of an announcement. */
export const stampOf = (one: Announcement | Scheduled | undefined): string =>
  one ? (isScheduled(one) ? tagOfScheduled(one) : tagOf(one)).slice(1, -1) : NONE

/** What is up, as a form holds that its author has seen it. */
export const seenIn = ({ events }: Pick<Board, 'events'>): string =>
  [NONE, ...events.map((one) => `${one.type}=${stampOf(one)}`)].join(' ')

type About = Pick<Fields, 'id' | 'type' | 'text' | 'seen' | 'was' | 'told' | 'refused'>

/** What a draft is about: what it edits, and what else it would replace at once. */
function aboutOf(
  { id, type }: Pick<Fields, 'id' | 'type'>,
  { events, scheduled }: Board,
  waits: boolean,
) {
  const edited = [...events, ...scheduled].find((one) => one.id === id)
  const replaced = events.find((one) => one.type === type && one.id !== id)
  return { edited, replaced: waits ? undefined : replaced }
}

const stampOfBoth = ({ edited, replaced }: ReturnType<typeof aboutOf>) =>
  `${stampOf(edited)} ${stampOf(replaced)}`

/**
 * Looks whether somebody has changed what a draft is about. What is only put up beside it is none of that.
 *
 * @param board as it is now
 * @param waits whether it starts later, so that it replaces nothing of now
 */
export async function conflictIn(
  { history }: Pick<Store, 'history'>,
  board: Board,
  fields: About,
  waits: boolean,
): Promise<Conflict | null> {
  const { id, type, text, seen, was, told } = fields
  if (id === '' && isBlank(text) && !fields.refused) return null
  const about = aboutOf(fields, board, waits)
  const { edited, replaced } = about
  const isKnown = seen === '' || seen.split(' ').includes(`${type}=${stampOf(replaced)}`)
  const isUnseen = replaced !== undefined && !isKnown
  const isChanged = id !== '' && !(edited && (was === '' || was === stampOf(edited)))
  if (!isChanged && !isUnseen) return null
  const kind = isChanged && edited ? 'changed' : isUnseen ? 'other' : 'gone'
  const theirs = kind === 'changed' ? edited : replaced
  const entries = await history(ENTRIES, null)
  const entry =
    kind === 'gone'
      ? entries.find(({ before, after }) => before?.id === id && after?.id !== id)
      : entries.find(({ after }) => after?.id === theirs?.id)
  const stamp = stampOfBoth(about)
  return {
    kind,
    entry,
    theirs: kind === 'gone' ? undefined : theirs,
    told: stamp,
    isTold: told === stamp,
  }
}

/** That what a draft is about is still as it was looked at, for the transaction that writes it. */
export function unchanged(
  fields: About,
  board: Board,
  waits: boolean,
  now: () => number,
): Expectation {
  const stamp = stampOfBoth(aboutOf(fields, board, waits))
  return (current) => stampOfBoth(aboutOf(fields, advance(current, now()).board, waits)) === stamp
}

/** That a row of the page is still what its button was pressed for, or gone. */
export function stillAs(id: string, stamp: string, now: () => number): Expectation {
  return (current) => {
    const { events, scheduled } = advance(current, now()).board
    const one = [...events, ...scheduled].find((one) => one.id === id)
    return one === undefined || stampOf(one) === stamp
  }
}
