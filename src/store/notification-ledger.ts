import type { By } from '../core/announcement.ts'
import { slotOf } from '../core/board.ts'
import { type CouponNotification, decideNotification, type Receipt } from '../core/coupon.ts'
import { beginWrite, isDecidedSince } from './changes.ts'
import { publishInSlot } from './mutations.ts'
import { type Db, instant, type Sql, sql } from './sql.ts'

/**
 * How long the ledger keeps a notification. Stripe retries a delivery for 3 days, and people can resend a notification
 * for 30, so a notification that the ledger has deleted can't arrive again.
 */
const LEDGER_MS = 60 * 86_400_000

/** Applies a notification, unless the ledger has it, and records it in the ledger (contract W6). */
export async function applyNotification(
  db: Db,
  notification: CouponNotification,
  now: number,
): Promise<Receipt> {
  const writing = await beginWrite(db, now)
  const { id, type, coupon, unattended, happenedAt } = notification
  if (id !== null) {
    // A catch-up may have applied the notification before it was delivered, so record the delivery in any case.
    if (notification.delivered) await recordDelivery(db, id, notification.created, now)
    const [first] = await sql<{ outcome: Receipt['outcome']; reason: string | null }>`
      select outcome, reason from placard_notification
      where type = ${type} and id = ${id}`.execute(db)
    if (first) {
      const { outcome, reason } = first
      return reason === null ? { outcome } : { outcome, reason }
    }
  }

  const created = notification.created ?? Math.floor(now / 1000)
  const lastApplied = await latest(db, sql`effect in ('publish', 'withdraw')`)
  const { change, ledger, receipt } = decideNotification(
    { ...notification, created },
    {
      slot: slotOf(writing.board, 'coupon'),
      lastApplied,
      lastRetraction: await latest(db, sql`effect = 'retract' and coupon = ${coupon}`),
      overruled: happenedAt !== undefined && (await isDecidedSince(db, happenedAt, now)),
    },
  )

  const by: By = { via: 'stripe', ...(id !== null && { notification: id }) }
  const about: By = { ...by, event: type }
  if (coupon !== null) about.coupon = coupon
  if (notification.couponName) about.couponName = notification.couponName
  if (change && 'publish' in change) {
    const { live = null, limited, seen, askedAt = happenedAt ?? now } = notification
    await publishInSlot(writing, change.publish, by, { coupon, live, unattended })
    await sql`
      update placard_offer set asked_at = ${instant(db, now, askedAt)}, seen = ${seen ? 1 : 0},
        limited = ${limited ? 1 : 0}`.execute(db)
  } else if (change) {
    const { takeDown: before, reason } = change
    await writing.make({ action: 'withdrawn', by: about, before, after: null, reason, unattended })
  } else if (receipt.outcome === 'ignored') {
    const { reason = null } = receipt
    await writing.make({ action: 'ignored', by: about, before: null, after: null, reason })
  }

  await sql`
    insert into placard_notification (id, type, created, coupon, effect, outcome, reason, received_at)
    values (${id ?? crypto.randomUUID()}, ${type}, ${created}, ${ledger.coupon}, ${ledger.effect},
      ${receipt.outcome}, ${receipt.reason ?? null}, ${now})`.execute(db)
  // The last publication or withdrawal is never deleted, because it keeps older ones from taking effect (W6).
  const isLast = ledger.effect === 'publish' || ledger.effect === 'withdraw'
  const last = isLast ? created : lastApplied
  await sql`
    delete from placard_notification
    where received_at < ${now - LEDGER_MS} and created < ${Math.max(0, last)}`.execute(db)
  return receipt
}

/** Records the provider's latest delivered notification, because it identifies the sending account (contract T4). */
async function recordDelivery(db: Db, id: string, created: number | null, now: number) {
  await sql`
    update placard_offer
    set delivered_event = ${id}, delivered_at = ${created === null ? now : created * 1000}`.execute(
    db,
  )
}

/** Returns the `created` of the latest matching notification, or minus infinity if none matches. */
async function latest(db: Db, condition: Sql): Promise<number> {
  const [row] = await sql<{ created: number | null }>`
    select max(created) as created from placard_notification where ${condition}`.execute(db)
  return row?.created ?? Number.NEGATIVE_INFINITY
}
