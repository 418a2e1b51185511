import type { Announcement, By } from '../core/announcement.ts'
import type { Reason } from '../core/messages.ts'
import { beginWrite } from './changes.ts'
import type { Schema } from './migrations.ts'
import { loadBoard } from './slots.ts'
import { type Db, instant, type Runners, sql } from './sql.ts'
import type { Offers } from './store.ts'
import { findUndoable, slotOf } from './verbs.ts'

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

/** One row about the published coupon. Its columns but for `paused` change no page, so other nodes aren't notified. */
export function createOffers({ read, write }: Runners): Offers {
  return {
    claim: (key, wanted, now) =>
      read(async (db) => {
        const time = instant(db, now)
        // If the claiming node dies, others wait until its claim runs out.
        const [row] = await sql<Row & { time: number }>`
          update placard_offer set due_at = ${time} + ${CLAIM_MS},
            asked_at = case when asked_at > ${time} then ${time} else asked_at end,
            decided_at = case when decided_at > ${time} then ${time} else decided_at end,
            seen = case when key = ${key} then seen else 0 end,
            since = case when key = ${key} then since end, key = ${key}
          where due_at <= ${time} or due_at > ${time} + ${furthestMs}
            or (${wanted ? 1 : 0} = 1 and (failures = 0 or not ${stands}) and due_at > ${time} + ${CLAIM_MS})
          returning *, ${time} as time`.execute(db)
        if (!row) return { waitMs: await dueIn(db, now) }
        const { events } = await loadBoard(db)
        const standing =
          events.find(({ type, coupon }) => type === 'coupon' && coupon !== null) ?? null
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
      }),
    renew: (token, now) =>
      read(async (db) => {
        // A trigger only makes the next question due, so the claim includes it.
        for (const from of [token, 0]) {
          const [row] = await sql<Row>`
            update placard_offer set due_at = ${instant(db, now)} + ${CLAIM_MS}
            where due_at = ${from} returning *`.execute(db)
          if (row) {
            return { token: row.due_at, triggered: from === 0, quietMs: await quietMs(db, now) }
          }
        }
        return null
      }),
    quietMs: (now) => read((db) => quietMs(db, now)),
    keepQuiet: (ms, now) =>
      read(async (db) => {
        const until = sql`${instant(db, now)} + ${Math.ceil(ms)}`
        await sql`
          update placard_offer set not_before = ${until} where not_before < ${until}`.execute(db)
      }),
    answer: ({ id, askedAt, limited, seen }, now) =>
      read(async (db) => {
        const asked = instant(db, now, askedAt)
        await sql`
          update placard_offer
          set asked_at = ${asked}, limited = ${limited ? 1 : 0}, seen = ${seen ? 1 : 0}
          where asked_at <= ${asked}
            and exists (select 1 from placard_event where id = ${id})`.execute(db)
      }),
    end: (token, nextMs, failed, now) =>
      read(async (db) => {
        if (failed !== undefined) {
          const failures = failed ? sql`failures + 1` : sql`0`
          await sql`update placard_offer set failures = ${failures}`.execute(db)
        }
        await sql`
          update placard_offer set due_at = ${instant(db, now)} + ${Math.ceil(nextMs)}
          where due_at = ${token}`.execute(db)
        return dueIn(db, now)
      }),
    trigger: () =>
      read(async (db) => {
        const changed = await sql`
          update placard_offer set due_at = 0 where failures = 0 returning id`.execute(db)
        return changed.length > 0
      }),
    takeDown: (id, reason, askedAt, now) =>
      write(async (db) => {
        const writing = await beginWrite(db, now)
        const before = slotOf(writing, 'coupon')
        const [current] = await sql`
          select 1 from placard_offer where asked_at <= ${instant(db, now, askedAt)}`.execute(db)
        if (before?.id !== id || !current) return false
        // For undo. It plays no part in the order of notifications.
        await sql`
          insert into placard_notification (id, type, created, coupon, outcome, reason, received_at)
          values (${crypto.randomUUID()}, ${ANSWER}, ${Math.floor(now / 1000)}, ${before.coupon},
            'ignored', ${reason}, ${now})`.execute(db)
        const parts = { before, after: null, reason, unattended: true }
        await writing.make({ action: 'withdrawn', by: byStripe(before), ...parts })
        return true
      }),
    pause: (id, reason, silenceMs, now) =>
      write(async (db) => {
        const writing = await beginWrite(db, now)
        const one = slotOf(writing, 'coupon')
        if (one?.id !== id) return false
        // Measures the silence again, because another node may have had an answer.
        const [changed] = await sql`
          update placard_offer set paused = ${id}
          where paused is null and asked_at <= ${instant(db, now)} - ${silenceMs}
          returning id`.execute(db)
        if (!changed) return false
        const parts = { before: one, after: one, reason, unattended: true }
        await writing.make({ action: 'paused', by: byStripe(one), ...parts })
        return true
      }),
    resume: (now) =>
      write(async (db) => {
        const writing = await beginWrite(db, now)
        const one = slotOf(writing, 'coupon')
        if (!one || writing.board.paused?.id !== one.id) return false
        await sql`update placard_offer set paused = null`.execute(db)
        const parts = { before: one, after: one, unattended: true }
        await writing.make({ action: 'resumed', by: byStripe(one), ...parts })
        return true
      }),
    listed: (since, now) =>
      read(async (db) => {
        await sql`
          update placard_offer set since = ${since}, listed_at = ${instant(db, now)}`.execute(db)
      }),
    unseen: (notifications) =>
      read(async (db) => {
        const found = []
        for (const one of notifications) {
          const [known] = await sql`
            select 1 from placard_notification
            where type = ${one.type} and id = ${one.id}`.execute(db)
          if (!known) found.push(one)
        }
        return found
      }),
    heard: (now) =>
      read(async (db) => {
        const [row] = await sql<Row>`
          select * from placard_offer
          where heard_at > ${instant(db, now)} - ${KEPT_MS}`.execute(db)
        return row?.heard_event ?? null
      }),
    lastRefusal: (coupon) =>
      read(async (db) => {
        const [last] = await sql<Schema['placard_notification']>`
          select * from placard_notification
          where coupon = ${coupon} and (effect is not null or type = ${ANSWER})
          order by received_at desc, created desc limit 1`.execute(db)
        if (last?.effect === 'withdraw') return 'coupon_deleted'
        return last?.outcome === 'ignored' ? (last.reason as Reason | null) : null
      }),
    undoable: (entry) => read(async (db) => (await findUndoable(db, entry)) ?? null),
  }
}

async function dueIn(db: Db, now: number): Promise<number> {
  const [row] = await sql<{ ms: number }>`
    select due_at - ${instant(db, now)} as ms from placard_offer`.execute(db)
  return Math.max(0, row?.ms ?? 0)
}

async function quietMs(db: Db, now: number): Promise<number> {
  const [row] = await sql<{ ms: number }>`
    select not_before - ${instant(db, now)} as ms from placard_offer`.execute(db)
  const ms = row?.ms ?? 0
  return ms > LONGEST_QUIET_MS ? 0 : Math.max(0, ms)
}

const byStripe = ({ coupon }: Announcement): By => ({
  via: 'stripe',
  ...(coupon !== null && { coupon }),
})
