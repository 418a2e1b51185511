import type { Announcement, By } from '../core/announcement.ts'
import type { Reason } from '../core/messages.ts'
import { beginWrite } from './changes.ts'
import type { Schema } from './migrations.ts'
import { loadBoard } from './slots.ts'
import { type Db, instant, sql } from './sql.ts'
import type { OfferAnswer, Renewed, Turn } from './store.ts'
import { slotOf } from './verbs.ts'

type Row = Schema['placard_offer']

/** How long a claim lasts after its last question. A question takes 4 s at most. */
const CLAIM_MS = 10_000
/**
 * The longest wait that Stripe can ask for. A longer one in the row comes from a clock that has been set back since.
 */
const LONGEST_QUIET_MS = 24 * 3_600_000
/** A day less than the 30 days for which Stripe keeps events, so that none is asked for that was just deleted. */
const KEPT_MS = 29 * 86_400_000
/** The type of a row in the ledger of notifications that records an answer. */
const ANSWER = 'answer'

const stands = sql`exists (select 1 from placard_event where coupon is not null)`

/**
 * The furthest that a question is planned ahead. A later one was planned before another coupon was published, or by a
 * clock that has been set back since.
 */
const furthestMs = sql<number>`
  case when limited = 1 then 60000
  when ${stands} then 700000 else 4000000 end`

/** Claims the row if it is due. If the claiming node dies, others wait until its claim runs out. */
export async function claim(
  db: Db,
  key: string,
  wanted: boolean,
  now: number,
): Promise<Turn | { waitMs: number }> {
  const time = instant(db, now)
  const { rows } = await sql<Row & { time: number }>`
    update placard_offer set due_at = ${time} + ${CLAIM_MS},
      asked_at = case when asked_at > ${time} then ${time} else asked_at end,
      decided_at = case when decided_at > ${time} then ${time} else decided_at end,
      seen = case when key = ${key} then seen else 0 end,
      since = case when key = ${key} then since end, key = ${key}
    where due_at <= ${time} or due_at > ${time} + ${furthestMs}
      or (${wanted ? 1 : 0} = 1 and (failures = 0 or not ${stands}) and due_at > ${time} + ${CLAIM_MS})
    returning *, ${time} as time`.execute(db)
  const [row] = rows
  if (!row) return { waitMs: await dueIn(db, now) }
  const { events } = await loadBoard(db)
  const standing = events.find(({ type, coupon }) => type === 'coupon' && coupon !== null) ?? null
  return {
    token: row.due_at,
    standing,
    paused: standing !== null && row.paused === standing.id,
    limited: row.limited === 1,
    seen: row.seen === 1,
    silentMs: Number(row.time) - row.asked_at,
    failures: row.failures,
    since: row.since,
    listedMs: Number(row.time) - row.listed_at,
  }
}

async function dueIn(db: Db, now: number): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select due_at - ${instant(db, now)} as ms from placard_offer`.execute(db)
  return Math.max(0, rows[0]?.ms ?? 0)
}

/** Renews a claim. A trigger only makes the next question due, so the claim includes it. */
export async function renew(db: Db, token: number, now: number): Promise<Renewed | null> {
  for (const from of [token, 0]) {
    const { rows } = await sql<Row>`
      update placard_offer set due_at = ${instant(db, now)} + ${CLAIM_MS}
      where due_at = ${from} returning *`.execute(db)
    const [row] = rows
    if (row) return { token: row.due_at, triggered: from === 0, quietMs: await quietMs(db, now) }
  }
  return null
}

export async function quietMs(db: Db, now: number): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select not_before - ${instant(db, now)} as ms from placard_offer`.execute(db)
  const ms = rows[0]?.ms ?? 0
  return ms > LONGEST_QUIET_MS ? 0 : Math.max(0, ms)
}

export async function keepQuiet(db: Db, ms: number, now: number): Promise<void> {
  const until = sql`${instant(db, now)} + ${Math.ceil(ms)}`
  await sql`update placard_offer set not_before = ${until} where not_before < ${until}`.execute(db)
}

export async function answer(
  db: Db,
  { id, askedAt, limited, seen }: OfferAnswer,
  now: number,
): Promise<void> {
  const asked = instant(db, now, askedAt)
  await sql`
    update placard_offer set asked_at = ${asked}, limited = ${limited ? 1 : 0}, seen = ${seen ? 1 : 0}
    where asked_at <= ${asked} and exists (select 1 from placard_event where id = ${id})`.execute(
    db,
  )
}

export async function end(
  db: Db,
  token: number,
  nextMs: number,
  failed: boolean | undefined,
  now: number,
): Promise<number> {
  if (failed !== undefined) {
    const failures = failed ? sql`failures + 1` : sql`0`
    await sql`update placard_offer set failures = ${failures}`.execute(db)
  }
  await sql`
    update placard_offer set due_at = ${instant(db, now)} + ${Math.ceil(nextMs)}
    where due_at = ${token}`.execute(db)
  return dueIn(db, now)
}

export async function trigger(db: Db): Promise<boolean> {
  const { rows } = await sql`
    update placard_offer set due_at = 0 where failures = 0 returning id`.execute(db)
  return rows.length > 0
}

export async function takeDown(
  db: Db,
  id: string,
  reason: Reason,
  askedAt: number,
  now: number,
): Promise<boolean> {
  const writing = await beginWrite(db, now)
  const before = slotOf(writing, 'coupon')
  const { rows } = await sql`
    select 1 from placard_offer where asked_at <= ${instant(db, now, askedAt)}`.execute(db)
  if (before?.id !== id || rows.length === 0) return false
  // For undo. It plays no part in the order of notifications.
  await sql`
    insert into placard_notification (id, type, created, coupon, outcome, reason, received_at)
    values (${crypto.randomUUID()}, ${ANSWER}, ${Math.floor(now / 1000)}, ${before.coupon},
      'ignored', ${reason}, ${now})`.execute(db)
  await writing.make({
    action: 'withdrawn',
    by: byStripe(before),
    ...{ before, after: null, reason, unattended: true },
  })
  return true
}

/** Measures the silence again, because another node may have had an answer. */
export async function pause(
  db: Db,
  id: string,
  reason: Reason,
  silenceMs: number,
  now: number,
): Promise<boolean> {
  const writing = await beginWrite(db, now)
  const one = slotOf(writing, 'coupon')
  if (one?.id !== id) return false
  const { rows } = await sql`
    update placard_offer set paused = ${id}
    where paused is null and asked_at <= ${instant(db, now)} - ${silenceMs} returning id`.execute(
    db,
  )
  if (rows.length === 0) return false
  const parts = { before: one, after: one, reason, unattended: true }
  await writing.make({ action: 'paused', by: byStripe(one), ...parts })
  return true
}

export async function resume(db: Db, now: number): Promise<boolean> {
  const writing = await beginWrite(db, now)
  const one = slotOf(writing, 'coupon')
  if (!one || writing.board.paused?.id !== one.id) return false
  await sql`update placard_offer set paused = null`.execute(db)
  const parts = { before: one, after: one, unattended: true }
  await writing.make({ action: 'resumed', by: byStripe(one), ...parts })
  return true
}

const byStripe = ({ coupon }: Announcement): By => ({
  via: 'stripe',
  ...(coupon !== null && { coupon }),
})

export async function listed(db: Db, since: number, now: number): Promise<void> {
  await sql`
    update placard_offer set since = ${since}, listed_at = ${instant(db, now)}`.execute(db)
}

export async function unseen<T extends { id: string; type: string }>(
  db: Db,
  notifications: readonly T[],
): Promise<T[]> {
  const found: T[] = []
  for (const one of notifications) {
    const { rows } = await sql`
      select 1 from placard_notification where type = ${one.type} and id = ${one.id}`.execute(db)
    if (rows.length === 0) found.push(one)
  }
  return found
}

export async function heard(db: Db, now: number): Promise<string | null> {
  const { rows } = await sql<Row>`
    select * from placard_offer where heard_at > ${instant(db, now)} - ${KEPT_MS}`.execute(db)
  return rows[0]?.heard_event ?? null
}

export async function lastRefusal(db: Db, coupon: string): Promise<Reason | null> {
  const { rows } = await sql<Pick<Schema['placard_notification'], 'effect' | 'outcome' | 'reason'>>`
    select effect, outcome, reason from placard_notification
    where coupon = ${coupon} and (effect is not null or type = ${ANSWER})
    order by received_at desc, created desc limit 1`.execute(db)
  const [last] = rows
  if (last?.effect === 'withdraw') return 'coupon_deleted'
  return last?.outcome === 'ignored' ? (last.reason as Reason | null) : null
}
