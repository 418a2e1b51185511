import type { Announcement, By, Scheduled, Selector } from '../core/announcement.ts'
import type { HistoryAction } from '../core/history.ts'
import type { Schema } from './migrations.ts'
import { type Db, sql } from './sql.ts'

/** What touches the slot of coupons. */
interface Touch {
  action: HistoryAction
  by: By
  before: Announcement | Scheduled | null
  after: Announcement | Scheduled | null
}

/**
 * Notes a change in the slot of coupons: what was suspended there may no longer come back, what stands there now is to be
 * asked about at once, and what happened before somebody's decision is no longer applied (contract T3, T4).
 *
 * Cost: one statement, for changes of coupons alone.
 */
export async function noteTouch(db: Db, touch: Touch, at: number): Promise<void> {
  const { before, after, action, by } = touch
  if (!inSlot(before) && !inSlot(after)) return
  // An end follows from what was decided earlier.
  await unsettle(db, by.via !== 'stripe' && action !== 'ended' ? at : 0, at)
}

/** Somebody withdrew, and nothing was there. It is a decision all the same: what is suspended may not come back. */
export async function noteWithdrawal(db: Db, selector: Selector, now: number): Promise<void> {
  if ('type' in selector) {
    if (selector.type === 'coupon') await unsettle(db, now, now)
    return
  }
  const { rows } = await sql<Pick<Schema['placard_offer'], 'suspended'>>`
    select suspended from placard_offer where suspended is not null`.execute(db)
  const suspended: Announcement | null = JSON.parse(rows[0]?.suspended ?? 'null')
  if (suspended?.id === selector.id) await unsettle(db, now, now)
}

/** What is known of a coupon stays: an undo may bring it back while Stripe doesn't answer. */
async function unsettle(db: Db, decidedAt: number, at: number): Promise<void> {
  await sql`
    update placard_offer set next_at = 0, answered_at = ${at}, failures = 0, suspended = null,
      decided_at = case when decided_at < ${decidedAt} then ${decidedAt} else decided_at end`.execute(
    db,
  )
}

/** When somebody last decided what the slot of coupons shows: milliseconds since 1970, or 0. */
export async function decidedAt(db: Db): Promise<number> {
  const { rows } = await sql<Pick<Schema['placard_offer'], 'decided_at'>>`
    select decided_at from placard_offer`.execute(db)
  return rows[0]?.decided_at ?? 0
}

function inSlot(one: Announcement | Scheduled | null): boolean {
  return one !== null && one.type === 'coupon' && !('startsAt' in one)
}
