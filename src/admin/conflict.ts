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

/** What a draft is about: what it edits, or else what it would replace. */
const aboutOf = ({ id, type }: Pick<Fields, 'id' | 'type'>, { events, scheduled }: Board) =>
  id === ''
    ? events.find((one) => one.type === type)
    : [...events, ...scheduled].find((one) => one.id === id)

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
  const theirs = aboutOf(fields, board)
  const stamp = stampOf(theirs)
  if (id === '') {
    const isUnwritten = isBlank(text) && !fields.refused
    if (seen === '' || !theirs || waits || isUnwritten) return null
    if (seen.split(' ').includes(`${type}=${stamp}`)) return null
  } else if (theirs && (was === '' || was === stamp)) return null
  const entries = await history(ENTRIES, null)
  const entry = theirs
    ? entries.find(({ after }) => after?.id === theirs.id)
    : entries.find(({ before, after }) => before?.id === id && after?.id !== id)
  const kind = !theirs ? 'gone' : id === '' ? 'other' : 'changed'
  return { kind, entry, theirs, told: stamp, isTold: told === stamp }
}

/** That what a draft is about is still as it was looked at, for the transaction that writes it. */
export function unchanged(fields: About, board: Board, now: () => number): Expectation {
  const stamp = stampOf(aboutOf(fields, board))
  return (current) => stampOf(aboutOf(fields, advance(current, now()).board)) === stamp
}
