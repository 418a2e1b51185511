import type { Announcement, By } from '../core/announcement.ts'
import { beginWrite } from './changes.ts'
import type { Schema } from './migrations.ts'
import { loadBoard } from './slots.ts'
import { type Db, type Sql, sql } from './sql.ts'
import type { CaughtUp, Limit, OfferTurn, TurnEnd } from './store.ts'
import { slotOf } from './verbs.ts'

type Row = Schema['placard_offer']

const OURS = { by: { via: 'stripe' } satisfies By, unattended: true }

/** What an answer has said, in the ledger of notifications. */
const ANSWER = 'answer'

/** With nothing up, events are listed once an hour. */
const LONGEST_MS = 4_000_000

/** More than the 15 minutes that Stripe may ask us to wait. */
const LONGEST_WAIT_MS = 1_000_000

/** No turn is planned further ahead. A later one was planned by a clock that has been set back since. */
const longestMs = sql<number>`
  case when suspended is null and not exists (select 1 from placard_event where coupon is not null)
    then ${LONGEST_MS}
  when failures > 0 then ${LONGEST_WAIT_MS} when max is null then 700000 else 60000 end`

/**
 * Takes the turn to ask, if it has come. Of several nodes one gets it. A node that dies or freezes in its turn holds the
 * others up for the length of the lease, because nothing but the row says that it has the turn.
 *
 * An answer that is dated in the future was dated by a clock that has been set back since.
 *
 * @param time now by the clock that all nodes share
 */
export async function takeTurn(
  db: Db,
  time: Sql<number>,
  leaseMs: number,
  now: number,
): Promise<OfferTurn | { waitMs: number }> {
  const { rows } = await sql<Row>`
    update placard_offer set next_at = ${time} + ${leaseMs},
      answered_at = case when answered_at > ${now} then ${now} else answered_at end
    where next_at <= ${time} or next_at > ${time} + ${longestMs}
    returning *`.execute(db)
  const [row] = rows
  if (!row) {
    const { rows: waits } = await sql<{ ms: number }>`
      select next_at - ${time} as ms from placard_offer`.execute(db)
    return { waitMs: Math.max(0, waits[0]?.ms ?? LONGEST_MS) }
  }
  const { events } = await loadBoard(db)
  const standing = events.find(({ type, coupon }) => type === 'coupon' && coupon !== null) ?? null
  const suspended = suspendedIn(row)
  const about = standing ?? suspended
  const ours = about !== null && row.coupon === about.coupon
  // An undo has put up another since the row was written, and nothing is known of that one's limit.
  const isUnknown = about !== null && !ours && row.coupon !== null
  return {
    token: row.next_at,
    standing,
    suspended,
    limit: isUnknown ? undefined : about && limitIn(row),
    seen: ours && row.seen === 1,
    answeredAt: row.answered_at,
    failures: row.failures,
    caughtUp:
      row.key_mark === null
        ? null
        : { mark: row.key_mark, since: row.since, to: row.caught_up_to, event: row.last_event },
    listedAt: row.listed_at,
  }
}

function limitIn({ max, redeemed }: Row): Limit | null {
  return max === null ? null : { max, redeemed: redeemed ?? 0 }
}

function suspendedIn(row: Row | undefined): Announcement | null {
  return JSON.parse(row?.suspended ?? 'null')
}

/** Goes on with a turn for another lease. A bell has only made the next one come at once, so it is taken with it. */
export async function renewTurn(
  db: Db,
  time: Sql<number>,
  token: number,
  leaseMs: number,
): Promise<{ token: number; rang: boolean } | null> {
  for (const from of [token, 0]) {
    const { rows } = await sql<Pick<Row, 'next_at'>>`
      update placard_offer set next_at = ${time} + ${leaseMs} where next_at = ${from}
      returning next_at`.execute(db)
    if (rows[0]) return { token: rows[0].next_at, rang: from === 0 }
  }
  return null
}

/** Ends a turn. If somebody rang meanwhile, or the slot has changed, the next turn comes at once. */
export async function endTurn(
  db: Db,
  time: Sql<number>,
  { token, nextMs, answer, failed, quietMs }: TurnEnd,
  now: number,
): Promise<void> {
  if (answer) {
    const { coupon, limit, seen } = answer
    // Another coupon may have been put up meanwhile. Of that one, the answer says nothing.
    await sql`
      update placard_offer set answered_at = ${now}, failures = 0, coupon = ${coupon}, seen = ${seen ? 1 : 0},
        max = ${limit?.max ?? null}, redeemed = ${limit?.redeemed ?? null}
      where suspended is not null or exists (select 1 from placard_event where coupon = ${coupon})`.execute(
      db,
    )
  }
  if (failed) await sql`update placard_offer set failures = failures + 1`.execute(db)
  if (quietMs > 0) {
    await sql`update placard_offer set quiet_until = ${time} + ${Math.round(quietMs)}`.execute(db)
  }
  // Last, because the longest wait that there can be follows from the rest.
  await sql`
    update placard_offer set next_at = ${time} + ${Math.round(nextMs)} where next_at = ${token}`.execute(
    db,
  )
}

export async function quietMs(db: Db, time: Sql<number>): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select quiet_until - ${time} as ms from placard_offer`.execute(db)
  const ms = rows[0]?.ms ?? 0
  // A longer one was noted by a clock that has been set back since.
  return ms > LONGEST_WAIT_MS ? 0 : Math.max(0, ms)
}

/** Makes the next turn come at once, unless the last question was not answered. Then it comes when it was planned. */
export async function ring(db: Db): Promise<boolean> {
  const { rows } = await sql`
    update placard_offer set next_at = 0 where failures = 0 returning id`.execute(db)
  return rows.length > 0
}

/** Makes the next turn come at once, unless it comes within so many ms. So nobody is disturbed who has the turn. */
export async function hasten(db: Db, time: Sql<number>, ms: number): Promise<void> {
  await sql`update placard_offer set next_at = 0 where next_at > ${time} + ${ms}`.execute(db)
}

export async function saveCaughtUp(
  db: Db,
  { mark, since, to, event }: CaughtUp,
  now: number,
): Promise<void> {
  // What another key has retrieved, this one may never have seen.
  await sql`
    update placard_offer set seen = case when key_mark = ${mark} then seen else 0 end, key_mark = ${mark},
      since = ${since}, caught_up_to = ${to}, last_event = ${event}, listed_at = ${now}`.execute(db)
}

/** Of these notifications, those that the ledger doesn't have. */
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

export async function lastRefusal(db: Db, coupon: string): Promise<string | null> {
  const { rows } = await sql<Pick<Schema['placard_notification'], 'effect' | 'outcome' | 'reason'>>`
    select effect, outcome, reason from placard_notification
    where coupon = ${coupon} and (effect is not null or type = ${ANSWER})
    order by received_at desc, created desc limit 1`.execute(db)
  const [last] = rows
  if (last?.effect === 'withdraw') return 'coupon_deleted'
  return last?.outcome === 'ignored' ? last.reason : null
}

/**
 * Takes a coupon's announcement down, if it is still the one that stands.
 *
 * @param refused why the checkout would refuse it, which is remembered for an undo; `null` if it may come back
 */
export async function takeDown(
  db: Db,
  id: string,
  reason: string,
  refused: string | null,
  now: number,
): Promise<boolean> {
  const writing = await beginWrite(db, now)
  const before = slotOf(writing, 'coupon')
  const { rows } = await sql<Row>`select * from placard_offer`.execute(db)
  const suspended = suspendedIn(rows[0])
  if (suspended?.id === id) await forgetSuspended(db)
  const about = [before, suspended].find((one) => one?.id === id)
  if (about && refused !== null) {
    await sql`
      insert into placard_notification (id, type, created, coupon, outcome, reason, received_at)
      values (${crypto.randomUUID()}, ${ANSWER}, ${Math.floor(now / 1000)}, ${about.coupon},
        'ignored', ${refused}, ${now})`.execute(db)
  }
  if (before?.id !== id) return false
  await writing.make({ ...OURS, action: 'withdrawn', before, after: null, reason })
  if (refused === null && rows[0]) {
    const { answered_at, failures } = rows[0]
    await sql`
      update placard_offer set suspended = ${JSON.stringify(before)}, answered_at = ${answered_at},
        failures = ${failures}`.execute(db)
  }
  return true
}

/** Puts back what was suspended, as it was, if its slot is unchanged. Else it is forgotten. */
export async function bringBack(db: Db, id: string, now: number): Promise<boolean> {
  const writing = await beginWrite(db, now)
  const { rows } = await sql<Row>`select * from placard_offer`.execute(db)
  const after = suspendedIn(rows[0])
  if (after?.id !== id) return false
  const isOver = after.expiresAt !== null && after.expiresAt <= now
  if (isOver || slotOf(writing, 'coupon')) {
    await forgetSuspended(db)
    return false
  }
  const reason = 'Stripe: answers again'
  await writing.make({ ...OURS, action: 'published', before: null, after, reason })
  return true
}

/** @param coupon only if it is this coupon's */
export async function forgetSuspended(db: Db, coupon?: string): Promise<void> {
  if (coupon === undefined) await sql`update placard_offer set suspended = null`.execute(db)
  else {
    await sql`
      update placard_offer set suspended = null where coupon = ${coupon} and suspended is not null`.execute(
      db,
    )
  }
}
