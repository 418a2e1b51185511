import type { Announcement, By, Scheduled } from '../core/announcement.ts'
import type { HistoryAction } from '../core/history.ts'
import { type Db, instant, sql } from './sql.ts'

/** A change of the slot of coupons. */
interface Touch {
  action: HistoryAction
  by: By
  before: Announcement | Scheduled | null
  after: Announcement | Scheduled | null
  /** Whether no client waits for it. The node that catches up also asks about the coupon. */
  unattended?: boolean | undefined
}

/**
 * Notes a change of the slot of coupons. Events from before a person's decision are no longer applied (contract T4).
 * Stripe is asked at once about the coupon that is there now, of which nothing is known, and it isn't paused (contract
 * T3).
 *
 * Cost: one statement, only for changes of coupons.
 */
export async function noteTouch(db: Db, touch: Touch, at: number, now: number): Promise<void> {
  const { before, after, action, by, unattended } = touch
  if (!inSlot(before) && !inSlot(after)) return
  // An edit keeps the coupon, so it decides nothing about it.
  if (before?.id === after?.id) return
  // An end follows from an earlier decision.
  if (by.via !== 'stripe' && action !== 'ended') await noteDecision(db, at, now)
  const isOffer = inSlot(after) && (after as Announcement).coupon !== null
  await sql`
    update placard_offer set due_at = ${unattended ? sql`due_at` : sql`0`}, asked_at = ${instant(db, now)}, seen = 0,
      limited = ${isOffer ? 1 : 0}, paused = null`.execute(db)
}

/** A person decided what the slot shows, even if nothing changed. */
export async function noteDecision(db: Db, at: number, now: number): Promise<void> {
  const decided = instant(db, now, at)
  await sql`
    update placard_offer set decided_at = ${decided} where decided_at < ${decided}`.execute(db)
}

/** Whether a person has decided since an instant what the slot of coupons shows. */
export async function isDecidedSince(db: Db, at: number, now: number): Promise<boolean> {
  const [decided] = await sql`
    select 1 from placard_offer where decided_at > ${instant(db, now, at)}`.execute(db)
  return decided !== undefined
}

function inSlot(one: Announcement | Scheduled | null): boolean {
  return one !== null && one.type === 'coupon' && !('startsAt' in one)
}
