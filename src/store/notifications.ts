import type { By } from '../core/announcement.ts'
import { slotOf } from '../core/board.ts'
import type { CouponNotification, Receipt } from '../core/coupon.ts'
import type { Reason } from '../core/messages.ts'
import { beginWrite, isDecidedSince } from './changes.ts'
import { type Db, instant, type Sql, sql } from './sql.ts'
import { putUp } from './verbs.ts'

/**
 * How long the ledger keeps a notification. Stripe retries a delivery for 3 days, and people can resend a notification
 * for 30, so a notification that the ledger has deleted can't arrive again.
 */
const LEDGER_MS = 60 * 86_400_000

/**
 * Applies a notification once and in the provider's order, however late it arrives.
 *
 * The final state is as if all notifications that ever arrived had been applied in order of `created`. A publication or
 * a withdrawal affects the current announcement, so only the latest one has an effect. A retraction affects one coupon,
 * and is stored for that coupon, because an older publication of that coupon may still arrive. Applied in order, that
 * publication would have replaced the current announcement and then been retracted, so its only effect is to take the
 * current announcement down. The receipt of a late publication says `withdrawn` if an announcement was taken down, else
 * `ignored` with the reason `stale`.
 */
export async function applyNotification(
  db: Db,
  notification: CouponNotification,
  now: number,
): Promise<Receipt> {
  const writing = await beginWrite(db, now)
  if (notification.id !== null) {
    if (notification.delivered) {
      // Record the delivery even if the ledger has the notification: a catch-up may have applied it before delivery.
      const heardAt = notification.created === null ? now : notification.created * 1000
      await sql`
        update placard_offer
        set heard_event = ${notification.id}, heard_at = ${heardAt}`.execute(db)
    }
    const [first] = await sql<{ outcome: Receipt['outcome']; reason: string | null }>`
      select outcome, reason from placard_notification
      where type = ${notification.type} and id = ${notification.id}`.execute(db)
    if (first) return receipt(first.outcome, first.reason)
  }

  const { effect, coupon, couponName, type, unattended, happenedAt } = notification
  const by: By = { via: 'stripe' }
  if (notification.id !== null) by.notification = notification.id
  const about: By = { ...by, event: type }
  if (coupon !== null) about.coupon = coupon
  if (couponName) about.couponName = couponName
  const created = notification.created ?? Math.floor(now / 1000)
  const lastApplied = await latest(db, sql`effect in ('publish', 'withdraw')`)
  const slot = slotOf(writing.board, 'coupon')
  let applied: CouponNotification['effect']['kind'] | null = null
  let result = receipt('ignored', effect.kind === 'none' ? effect.reason : 'stale')
  let tookDown = false
  let recorded = coupon

  async function takeDown(whether: boolean, reason: Reason | null = null) {
    if (!slot || !whether) return
    tookDown = true
    const change = { before: slot, after: null, reason, unattended }
    await writing.make({ action: 'withdrawn', by: about, ...change })
  }

  // That the published coupon was deleted or can't be redeemed stays true after any decision.
  const isFact = effect.kind !== 'publish' && coupon !== null && coupon === slot?.coupon
  const isOverruled =
    !isFact && happenedAt !== undefined && (await isDecidedSince(db, happenedAt, now))
  if (effect.kind !== 'none' && created >= lastApplied && !isOverruled) {
    applied = effect.kind
    if (effect.kind === 'withdraw') {
      // A withdrawal takes down the published announcement even if the notification is about a different coupon.
      await takeDown(true, 'coupon_deleted')
      result = receipt('withdrawn')
    } else if (effect.kind === 'retract') {
      await takeDown(coupon !== null && slot?.coupon === coupon, effect.reason)
      result = receipt('ignored', effect.reason)
    } else if (coupon !== null && created < (await latestRetraction(db, coupon))) {
      // A newer retraction of this coupon was already applied, so `lastRefusal` must not find this notification.
      recorded = null
      // If `happenedAt` is unset, a person's announcement stays, because it may be newer than the notification.
      await takeDown(slot?.coupon !== null || happenedAt !== undefined)
      if (tookDown) result = receipt('withdrawn')
    } else if (effect.refused) {
      // Publishing the coupon would have replaced the published announcement, even one for a different coupon.
      await takeDown(true, effect.refused)
      result = receipt(tookDown ? 'withdrawn' : 'ignored', effect.refused)
    } else {
      const { live = null, limited, seen, askedAt = happenedAt ?? now } = notification
      await putUp(writing, effect.draft, by, { coupon, live, unattended })
      await sql`
        update placard_offer set asked_at = ${instant(db, now, askedAt)}, seen = ${seen ? 1 : 0},
          limited = ${limited ? 1 : 0}`.execute(db)
      result = receipt('published')
    }
  }
  if (result.outcome === 'ignored' && !tookDown) {
    const reason = result.reason ?? null
    await writing.make({ action: 'ignored', by: about, before: null, after: null, reason })
  }

  await sql`
    insert into placard_notification (id, type, created, coupon, effect, outcome, reason, received_at)
    values (${notification.id ?? crypto.randomUUID()}, ${type}, ${created}, ${recorded}, ${applied},
      ${result.outcome}, ${result.reason ?? null}, ${now})`.execute(db)
  // The last publication or withdrawal is never deleted, because it keeps older ones from taking effect (W6).
  const last = applied === 'publish' || applied === 'withdraw' ? created : lastApplied
  await sql`
    delete from placard_notification
    where received_at < ${now - LEDGER_MS} and created < ${Math.max(0, last)}`.execute(db)
  return result
}

function receipt(outcome: Receipt['outcome'], reason: string | null = null): Receipt {
  return reason === null ? { outcome } : { outcome, reason }
}

const latestRetraction = (db: Db, coupon: string) =>
  latest(db, sql`effect = 'retract' and coupon = ${coupon}`)

/** Returns the `created` of the latest matching notification, or minus infinity if none matches. */
async function latest(db: Db, such: Sql): Promise<number> {
  const [row] = await sql<{ created: number | null }>`
    select max(created) as created from placard_notification where ${such}`.execute(db)
  return row?.created ?? Number.NEGATIVE_INFINITY
}
