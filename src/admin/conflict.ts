import type { Announcement, Scheduled } from '../core/announcement.ts'
import { advance, type Board } from '../core/board.ts'
import { type HistoryEntry, isScheduled } from '../core/history.ts'
import { isBlank } from '../core/rules.ts'
import { tagOf, tagOfScheduled } from '../showing/snapshot.ts'
import type { Expectation, Store } from '../store/store.ts'
import type { Fields } from './form.ts'

/** What others did to the subject of a draft since its author saw it (contract A17). */
export interface Conflict {
  /**
   * `gone`: the edited announcement is neither published nor scheduled. `changed`: it was edited, or has started. `other`:
   * the draft would replace an announcement that its author has not seen.
   */
  kind: 'gone' | 'changed' | 'other'
  /** Who did it, when and how; `undefined` if the history doesn't say (contract R8). */
  entry: HistoryEntry | undefined
  /** The announcement that is there now. */
  theirs: Announcement | Scheduled | undefined
  /** Names the conflict in the form of an author who was told of it. */
  told: string
  isTold: boolean
}

/** More changes than others make while somebody writes. */
const ENTRIES = 50

/** The stamp of a missing announcement. */
const NONE = 'none'

/** Changes whenever a field of the announcement does. */
export const stampOf = (one: Announcement | Scheduled | undefined): string =>
  one ? (isScheduled(one) ? tagOfScheduled(one) : tagOf(one)).slice(1, -1) : NONE

/** What the author has seen published, for the form. */
export const seenIn = ({ events }: Pick<Board, 'events'>): string =>
  [NONE, ...events.map((one) => `${one.type}=${stampOf(one)}`)].join(' ')

type About = Pick<Fields, 'id' | 'type' | 'text' | 'seen' | 'was' | 'told' | 'refused'>

/** The subject of a draft: what it edits, and what else it would replace at once. */
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
 * Checks whether somebody changed the subject of a draft. An announcement that was published beside it doesn't matter.
 *
 * @param board the current one
 * @param waits whether it starts later, so that it replaces nothing now
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

/** An expectation for the writing transaction: the subject of the draft is as it was when it was checked. */
export function unchanged(
  fields: About,
  board: Board,
  waits: boolean,
  now: () => number,
): Expectation {
  const stamp = stampOfBoth(aboutOf(fields, board, waits))
  return (current) => stampOfBoth(aboutOf(fields, advance(current, now()).board, waits)) === stamp
}

/** An expectation that a row of the page is unchanged or gone. */
export function stillAs(id: string, stamp: string, now: () => number): Expectation {
  return (current) => {
    const { events, scheduled } = advance(current, now()).board
    const one = [...events, ...scheduled].find((one) => one.id === id)
    return one === undefined || stampOf(one) === stamp
  }
}
