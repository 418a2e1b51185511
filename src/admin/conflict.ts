import type { Announcement, Scheduled } from '../core/announcement.ts'
import { advance, type Board } from '../core/board.ts'
import { tagOf } from '../showing/snapshot.ts'
import type { Expectation, Store } from '../store/store.ts'
import type { Fields } from './form.ts'

/** How others changed the announcement that a draft edits or replaces, since its author saw it (contract A17). */
export type Conflict = NonNullable<Awaited<ReturnType<typeof conflictIn>>>

/** How many entries of the history to search: more than others add while somebody writes. */
const ENTRIES = 50

/** Identifies an announcement's content: changes whenever one of its fields does. */
export const stampOf = (one: Announcement | Scheduled): string => tagOf(one).slice(1, -1)

/** The stamps of what the author has seen, for the form. Never empty, because `''` means that nothing is known yet. */
export const seenIn = ({ events, scheduled }: Board): string =>
  ['none', ...[...events, ...scheduled].map(stampOf)].join(' ')

type About = Pick<Fields, 'id' | 'type' | 'seen' | 'told'>

/** The announcements that a draft edits or would replace now, if its author hasn't seen their current content. */
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
 * Finds out whether somebody changed an announcement that a draft would overwrite. Other changes don't matter.
 *
 * @param board the current one
 * @param waits whether the draft starts later, so that it replaces nothing now
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
  // `gone`: the edited announcement is neither published nor scheduled. `changed`: it was edited, or has started.
  // `other`: the draft would replace an announcement that its author has not seen.
  const kind: 'changed' | 'other' | 'gone' = changed ? 'changed' : other ? 'other' : 'gone'
  // Once the page has told the author of the conflict, the form sends `told`.
  return { kind, entry, theirs, told: stamps.join(' '), isTold }
}

/** An expectation for the writing transaction: the draft replaces only what its author has seen or been told of. */
export const replacesOnlyKnown =
  (fields: About, waits: boolean, now: () => number): Expectation =>
  (current) =>
    unseenIn(advance(current, now()).board, fields, waits).isTold

/** An expectation for the writing transaction: the announcement in a row of the page is unchanged or gone. */
export const stillAs =
  (id: string, stamp: string, now: () => number): Expectation =>
  (current) => {
    const { events, scheduled } = advance(current, now()).board
    const one = [...events, ...scheduled].find((one) => one.id === id)
    return one === undefined || stampOf(one) === stamp
  }
