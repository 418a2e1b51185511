import type { Announcement, Scheduled } from '../core/announcement.ts'
import { advance, type Board } from '../core/board.ts'
import { tagOf } from '../showing/snapshot.ts'
import type { Expectation, Store } from '../store/store.ts'
import type { Fields } from './form.ts'

/** What others did to the subject of a draft since its author saw it (contract A17). */
export type Conflict = NonNullable<Awaited<ReturnType<typeof conflictIn>>>

/** More changes than others make while somebody writes. */
const ENTRIES = 50

/** Changes whenever a field of the announcement does. */
export const stampOf = (one: Announcement | Scheduled): string => tagOf(one).slice(1, -1)

/** The stamps of what the author has seen, for the form. It isn't empty, even if there was nothing to see. */
export const seenIn = ({ events, scheduled }: Board): string =>
  ['none', ...[...events, ...scheduled].map(stampOf)].join(' ')

type About = Pick<Fields, 'id' | 'type' | 'seen' | 'told'>

/** The edited announcement and what else a draft would replace at once, unless its author has seen them as they are. */
function unseenIn({ events, scheduled }: Board, draft: About, waits: boolean) {
  const { id, type, seen, told } = draft
  const isUnseen = (one: Announcement | Scheduled) => !seen.split(' ').includes(stampOf(one))
  const edited = [...events, ...scheduled].find((one) => one.id === id)
  const other = events.find((one) => one.type === type && one.id !== id)
  const unseen = {
    changed: edited && isUnseen(edited) ? edited : undefined,
    other: other && !waits && isUnseen(other) ? other : undefined,
  }
  const stamps = Object.values(unseen).flatMap((one) => (one ? stampOf(one) : []))
  if (id !== '' && !edited) stamps.push('gone')
  return { ...unseen, stamps, isTold: stamps.every((stamp) => told.split(' ').includes(stamp)) }
}

/**
 * Finds out whether somebody changed the subject of a draft. One that the draft wouldn't replace doesn't matter.
 *
 * @param board the current one
 * @param waits whether it starts later, so that it replaces nothing now
 */
export async function conflictIn(
  { history }: Pick<Store, 'history'>,
  board: Board,
  fields: About,
  waits: boolean,
) {
  const { changed, other, stamps, isTold } = unseenIn(board, fields, waits)
  if (stamps.length === 0) return null
  const theirs = changed ?? other
  const entries = await history(ENTRIES, null)
  const entry = theirs
    ? entries.find(({ after }) => after?.id === theirs.id)
    : entries.find(({ before, after }) => before?.id === fields.id && after?.id !== fields.id)
  // `gone`: the edited announcement is neither published nor scheduled. `changed`: it was edited, or has started. `other`:
  // the draft would replace an announcement that its author has not seen.
  const kind: 'changed' | 'other' | 'gone' = changed ? 'changed' : other ? 'other' : 'gone'
  // The form holds `told` once its author was told of the conflict.
  return { kind, entry, theirs, told: stamps.join(' '), isTold }
}

/** An expectation for the writing transaction: a draft replaces nothing that its author neither saw nor was told of. */
export const replacesOnlyKnown =
  (fields: About, waits: boolean, now: () => number): Expectation =>
  (current) =>
    unseenIn(advance(current, now()).board, fields, waits).isTold

/** An expectation that a row of the page is unchanged or gone. */
export const stillAs =
  (id: string, stamp: string, now: () => number): Expectation =>
  (current) => {
    const { events, scheduled } = advance(current, now()).board
    const one = [...events, ...scheduled].find((one) => one.id === id)
    return one === undefined || stampOf(one) === stamp
  }
