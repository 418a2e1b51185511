import {
  type Announcement,
  type By,
  type Draft,
  MAX_SCHEDULED,
  type Scheduled,
  type Selector,
} from '../announcement.ts'
import { isSame } from '../history.ts'
import { beginWrite, type WriteTransaction } from './changes.ts'
import { noteWithdrawal } from './decisions.ts'
import { nextPosition } from './slots.ts'
import type { Db } from './sql.ts'
import type { Refusal, WithdrawResult, WriteContext } from './store.ts'

async function begin(db: Db, { now, expects }: WriteContext): Promise<WriteTransaction | Refusal> {
  const writing = await beginWrite(db, now)
  return expects && !expects(writing.board) ? { refused: 'changed' } : writing
}

export async function publish(
  db: Db,
  id: string,
  draft: Draft,
  context: WriteContext,
): Promise<Announcement | Refusal> {
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  return putUp(writing, id, draft, context.by, null)
}

/** Puts a new event in the slot of its type. */
export async function putUp(
  writing: WriteTransaction,
  id: string,
  draft: Draft,
  by: By,
  coupon: string | null,
  unattended?: boolean,
): Promise<Announcement> {
  const before = slotOf(writing, draft.type)
  const after: Announcement = { id, ...draft, timestamp: writing.stamp(), coupon, by }
  await writing.make({ action: before ? 'replaced' : 'published', by, before, after, unattended })
  return after
}

export async function schedule(
  db: Db,
  id: string,
  draft: Draft,
  startsAt: number,
  context: WriteContext,
): Promise<Scheduled | Refusal> {
  const { by } = context
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  const scheduled = writing.board.scheduled.toSorted((a, b) => a.order - b.order)
  const one: Scheduled = { id, ...draft, startsAt, order: 0, by }
  // A repeat, because a request that was answered 503 may have been done. An equal one that is not the latest is no
  // repeat: it is to start after the latest.
  const latest = scheduled.findLast((one) => one.type === draft.type && one.startsAt === startsAt)
  if (latest && isSame(latest, { ...one, id: latest.id })) return latest
  if (scheduled.length >= MAX_SCHEDULED) return { refused: 'full' }
  const after = { ...one, order: await nextPosition(db) }
  await writing.make({ action: 'scheduled', by, before: null, after })
  return after
}

/** Replaces a scheduled announcement, which keeps its id and its place in the order of posting. */
export async function reschedule(
  db: Db,
  id: string,
  draft: Draft,
  startsAt: number | null,
  context: WriteContext,
): Promise<Scheduled | Announcement | Refusal> {
  const { by } = context
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  const before = writing.board.scheduled.find((one) => one.id === id)
  if (!before) return { refused: 'not_found' }
  if (startsAt === null) {
    // Without a start in the future it starts now.
    await writing.make({ action: 'scheduled', by, before, after: null })
    return putUp(writing, id, draft, by, null)
  }
  const after: Scheduled = { id, ...draft, startsAt, order: before.order, by }
  await writing.make({ action: 'scheduled', by, before, after })
  return after
}

export async function withdraw(
  db: Db,
  selector: Selector,
  context: WriteContext,
): Promise<WithdrawResult | Refusal> {
  const { by } = context
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  const { events, scheduled } = writing.board
  const before =
    'type' in selector
      ? slotOf(writing, selector.type)
      : [...events, ...scheduled].find(({ id }) => id === selector.id)
  if (before) await writing.make({ action: 'withdrawn', by, before, after: null })
  else await noteWithdrawal(db, selector, writing.now)
  const remaining =
    'type' in selector ? scheduled.filter(({ type }) => type === selector.type).length : 0
  return { deleted: before ? 1 : 0, scheduled: remaining }
}

/** Stores every start and end that is due at `now`. @returns whether there was one */
export async function recordTransitions(db: Db, now: number): Promise<boolean> {
  return (await beginWrite(db, now)).hadTransitions
}

export function slotOf(
  { board }: Pick<WriteTransaction, 'board'>,
  type: string,
): Announcement | null {
  return board.events.find((event) => event.type === type) ?? null
}
