import { type Announcement, etagOf, type Scheduled } from '../../core/announcement.ts'
import { type Board, withId } from '../../core/board.ts'
import { NOT_UNDOABLE } from '../../core/history.ts'
import type { Expectation, Store } from '../../store/store.ts'
import type { Fields } from './fields.ts'

/** A change by somebody else to an announcement that a draft edits or would replace (contract A17). */
export type Conflict = NonNullable<Awaited<ReturnType<typeof conflictIn>>>

/** How many history entries to search: more than other people are likely to add while somebody writes a draft. */
const ENTRIES = 50

/** Identifies an announcement's content: the stamp changes whenever a field of the announcement changes. */
export const stampOf = (one: Announcement | Scheduled): string => etagOf(one).slice(1, -1)

/** The stamps of all announcements, for the form. Never empty, because `''` means that the form has no stamps yet. */
export const seenIn = ({ published, scheduled }: Board): string =>
  ['none', ...[...published, ...scheduled].map(stampOf)].join(' ')

type About = Pick<Fields, 'id' | 'coupon' | 'type' | 'seen' | 'told'>

/** Finds the announcement that a draft edits: by id, or by coupon if a notification has changed the id (W6). */
export const editedIn = (board: Board, { id, coupon }: About) =>
  withId(board, id) ?? board.published.find((one) => id !== '' && one.coupon === coupon)

/** Finds the announcements that a draft edits or would replace now, if its author hasn't seen their current content. */
function unseenIn(board: Board, draft: About, waits: boolean) {
  const { id, type, seen, told } = draft
  const isUnseen = (one: Announcement | Scheduled) => !seen.split(' ').includes(stampOf(one))
  const edited = editedIn(board, draft)
  const other = board.published.find((one) => one.type === type && one !== edited)
  const unseen = {
    changed: edited && isUnseen(edited) ? edited : undefined,
    other: other && !waits && isUnseen(other) ? other : undefined,
  }
  const stamps = Object.values(unseen).flatMap((one) => (one ? stampOf(one) : []))
  if (id !== '' && !edited) stamps.push('gone')
  return { ...unseen, stamps, isTold: stamps.every((stamp) => told.split(' ').includes(stamp)) }
}

/**
 * Finds a change that a draft's author hasn't seen and that the draft would overwrite. Returns `null` if there is none.
 *
 * @param waits whether the draft starts in the future, and so replaces nothing now
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
    ? entries.find(({ action, after }) => after?.id === theirs.id && !NOT_UNDOABLE.includes(action))
    : entries.find(({ before, after }) => before?.id === fields.id && after?.id !== fields.id)
  // `gone`: the edited announcement is no longer published or scheduled. `changed`: the edited announcement was
  // changed, or has started. `other`: the draft would replace an announcement that the author hasn't seen.
  const kind: 'changed' | 'other' | 'gone' = changed ? 'changed' : other ? 'other' : 'gone'
  // Once the page has shown the author the conflict, the form sends `told` with each request.
  return { kind, entry, theirs, told: stamps.join(' '), isTold }
}

/** Checks, in the transaction of the write, that the draft's author has been told of every conflict. */
export const replacesOnlyKnown =
  (fields: About, waits: boolean): Expectation =>
  (board) =>
    unseenIn(board, fields, waits).isTold

/** Checks, in the transaction of the write, that the announcement is still as the page showed it, or is gone. */
export const stillAs =
  (id: string, stamp: string): Expectation =>
  (board) => {
    const one = withId(board, id)
    return one === undefined || stampOf(one) === stamp
  }
