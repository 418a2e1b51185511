import * as z from 'zod'
import {
  type Announcement,
  type By,
  by,
  hasEnded,
  optional,
  owned,
  type Scheduled,
  scheduled,
  toOwnersWire,
} from './announcement.ts'
import { type Board, isScheduleFull, slotOf, withId } from './board.ts'
import { digits, shownInstant } from './fields.ts'

/** The kinds of history entries (contract R8). */
export const HISTORY_ACTIONS = [
  /** Published when there was no other event of its type. */
  'published',
  /** Published in place of the previous event of its type. */
  'replaced',
  /** Added to the schedule. */
  'scheduled',
  /** Changed in place, while published or scheduled. */
  'edited',
  'started',
  /** Taken down. */
  'withdrawn',
  'ended',
  /** Taken off the pages until Stripe confirms its coupon again (contract T3). */
  'paused',
  'resumed',
  /** A coupon's notification had no effect. */
  'ignored',
] as const

/** The kind of a history entry (contract R8). */
export type HistoryAction = (typeof HISTORY_ACTIONS)[number]

/** An entry of the history, written in the same transaction as its change. */
export interface HistoryEntry {
  /** Higher than the id of every earlier entry. */
  id: number
  /** Milliseconds since 1970. For a start or an end, this is the time at which it was due, even if stored later. */
  at: number
  /** The kind of change. */
  action: HistoryAction
  /** Who made the change. */
  by: By
  /** The announcement before the change, if there was one. */
  before: Announcement | Scheduled | null
  /** The announcement after the change, if there is one. */
  after: Announcement | Scheduled | null
  /** Why a notification was ignored, or why an offer was taken down or paused: a code in messages.ts. */
  reason: string | null
}

const either = () => z.union([owned, scheduled]).nullable()

/** A history entry in a response, with numbers as strings of digits. */
export const historyEntry = z.object({
  id: digits().describe('Higher than the id of every earlier entry.'),
  at: shownInstant().describe('The time of the change: milliseconds since 1970.'),
  action: z.enum(HISTORY_ACTIONS).describe('The kind of change.'),
  by: by.describe('Who made the change.'),
  before: either().describe('The announcement before the change, if any.'),
  after: either().describe('The announcement after the change, if any.'),
  reason: optional().describe(
    'Why a notification was ignored, or why an offer was taken down or paused.',
  ),
  undo: z
    .string()
    .describe(
      '`possible`, or why the entry cannot be undone: `not_undoable`, `changed_since`, `ended`, `full`, or the code of the reason why the checkout would refuse the coupon.',
    ),
})
/** A history entry in a response. Numbers are strings of digits (contract R8). */
export type WireHistoryEntry = z.infer<typeof historyEntry>

/** The actions that can't be undone, because neither a person nor Stripe decided to change an announcement. */
export const NOT_UNDOABLE: readonly HistoryAction[] = ['ignored', 'ended', 'paused', 'resumed']

/**
 * Why a history entry can't be undone (contract R9): its kind can never be undone; its slot has changed since; the
 * announcement to restore has ended, or its start has passed; or the schedule is full.
 */
export type UndoRefusal = 'not_undoable' | 'changed_since' | 'ended' | 'full'

export function toWireEntry(entry: HistoryEntry & { undo: string }) {
  const { id, at, action, before, after, reason, undo } = entry
  const { undoing, ...by } = entry.by
  return {
    id: String(id),
    at: String(at),
    action,
    by: { ...by, ...(undoing !== undefined && { undoing: String(undoing) }) },
    before: before && toOwnersWire(before),
    after: after && toOwnersWire(after),
    ...(reason !== null && { reason }),
    undo,
  } satisfies WireHistoryEntry
}

/** Compares every field that the owner sees. The id isn't enough, because an edited announcement keeps it. */
export function isSame(a: Announcement | Scheduled, b: Announcement | Scheduled): boolean {
  return JSON.stringify(toOwnersWire(a)) === JSON.stringify(toOwnersWire(b))
}

/** Returns why an entry can't be undone, or `undefined` if it can (contract R9). @param now milliseconds since 1970 */
export function undoRefusal(
  entry: Pick<HistoryEntry, 'action' | 'before' | 'after'>,
  board: Pick<Board, 'published' | 'scheduled'>,
  now: number,
): UndoRefusal | undefined {
  const { action, before, after } = entry
  if (NOT_UNDOABLE.includes(action)) return 'not_undoable'
  if (!isStillInPlace(entry, board)) return 'changed_since'
  if (before && isOver(before, now)) return 'ended'
  return before && isScheduled(before) && !after && isScheduleFull(board) ? 'full' : undefined
}

/** Whether an entry's result is still in place, and the announcement that it removed isn't back in another place. */
function isStillInPlace(
  { before, after }: Pick<HistoryEntry, 'before' | 'after'>,
  board: Pick<Board, 'published' | 'scheduled'>,
): boolean {
  // A scheduled announcement keeps its id when its type is edited and when it starts, so look it up by id.
  const elsewhere = withId(board, before?.id)
  if (elsewhere && before?.id !== after?.id) return false
  if (after) {
    const now = isScheduled(after)
      ? board.scheduled.find(({ id }) => id === after.id)
      : slotOf(board, after.type)
    return !!now && isSame(now, after)
  }
  return before !== null && (isScheduled(before) || !slotOf(board, before.type))
}

function isOver(one: Announcement | Scheduled, now: number): boolean {
  return hasEnded(one, now) || (isScheduled(one) && one.startsAt <= now)
}

type ByLanguage = Readonly<Record<string, string>> | null | undefined

/** Returns the texts or links of `one` that `other` lacks or has with a different value. */
export const changedIn = (one: ByLanguage, other: ByLanguage): [tag: string, value: string][] =>
  Object.entries(one ?? {}).filter(([tag, value]) => other?.[tag] !== value)

export function isScheduled(one: Announcement | Scheduled): one is Scheduled {
  return 'startsAt' in one
}
