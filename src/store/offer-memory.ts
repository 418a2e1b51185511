import type { Announcement } from '../core/announcement.ts'
import { ofCoupon, slotOf } from '../core/board.ts'
import type { Reason } from '../core/messages.ts'
import { beginWrite, type Change, type WriteTransaction } from './changes.ts'
import { findUndoable } from './mutations.ts'
import { loadBoard } from './slots.ts'
import { type Db, instant, type Runners, sql } from './sql.ts'
import type { OfferMemory, Offers } from './store.ts'

/** The type of a ledger row that records an answer from Stripe instead of a notification. */
const ANSWER = 'answer'

export function createOfferMemory({ read, update, transaction }: Runners): Offers {
  /** Makes the change that `work` returns for the event in the coupon slot. @returns whether there was a change */
  const change = (
    now: number,
    work: (
      db: Db,
      one: Announcement,
      writing: WriteTransaction,
    ) => Promise<Pick<Change, 'action' | 'reason'> | undefined>,
  ) =>
    transaction(async (db) => {
      const writing = await beginWrite(db, now)
      const one = slotOf(writing.board, 'coupon')
      const made = one && (await work(db, one, writing))
      if (!made) return false
      const after = made.action === 'withdrawn' ? null : one
      const by = { via: 'stripe' as const, ...(one.coupon !== null && { coupon: one.coupon }) }
      await writing.make({ ...made, by, before: one, after, unattended: true })
      return true
    })

  return {
    recall: (now) =>
      read(async (db) => {
        const [row] = await sql<OfferMemory & { time: number }>`
          select *, ${instant(db, now)} as time from placard_offer`.execute(db)
        return row as OfferMemory & { time: number }
      }),
    acquireLease: ({ key, lastsMs, early, longestWaitMs: { limited, unlimited } }, now) =>
      update(async (db) => {
        const time = instant(db, now)
        const atMostNow = (column: string) =>
          sql`${sql([column])} = case when ${sql([column])} > ${time} then ${time} else ${sql([column])} end`
        const [row] = await sql<OfferMemory & { time: number }>`
          update placard_offer set
            due_at = ${time} + ${lastsMs}, ${atMostNow('asked_at')}, ${atMostNow('decided_at')},
            seen = case when key = ${key} then seen else 0 end,
            since = case when key = ${key} then since end,
            key = ${key}
          where due_at <= ${time}
            or (${early ? 1 : 0} = 1 and failures = 0 and due_at > ${time} + ${lastsMs})
            or (limited = 1 and due_at > ${time} + ${limited})
            or due_at > ${time} + ${unlimited}
          returning *, ${time} as time`.execute(db)
        return row
      }),
    remember: (parts, where, id) => update((db) => updateRow(db, parts, where, id)),
    publishedOffer: () => read(async (db) => ofCoupon(await loadBoard(db))),
    takeDown: (id, reason, askedAt, now) =>
      change(now, async (db, one) => {
        if (one.id !== id || !(await updateRow(db, { failures: 0 }, { asked_at: askedAt }))) return
        // `lastRefusal` reads this row. The row has no `effect`, so it doesn't affect the order of notifications.
        await sql`
          insert into placard_notification (id, type, created, coupon, outcome, reason, received_at)
          values (${crypto.randomUUID()}, ${ANSWER}, ${Math.floor(now / 1000)}, ${one.coupon},
            'ignored', ${reason}, ${now})`.execute(db)
        return { action: 'withdrawn', reason }
      }),
    pause: (id, reason, askedAt, now) =>
      change(now, async (db, one, { board }) => {
        if (one.id !== id || board.paused) return
        const isDone = await updateRow(db, { paused: id }, { asked_at: askedAt })
        return isDone ? { action: 'paused', reason } : undefined
      }),
    resume: (now) =>
      change(now, async (db, one, { board }) => {
        if (board.paused?.id !== one.id) return
        await updateRow(db, { paused: null })
        return { action: 'resumed' }
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
    lastRefusal: (coupon) =>
      read(async (db) => {
        const [last] = await sql<{ effect: string | null; reason: Reason | null }>`
          select effect, reason from placard_notification
          where coupon = ${coupon} and (effect is not null or type = ${ANSWER})
          order by received_at desc, created desc limit 1`.execute(db)
        if (last?.effect === 'withdraw') return 'coupon_deleted'
        return last?.reason ?? null
      }),
    undoable: (entry) => read(async (db) => (await findUndoable(db, entry)) ?? null),
  }
}

/** Updates the only row of placard_offer if its columns match `where`. @returns whether the row was updated */
async function updateRow(
  db: Db,
  parts: Partial<OfferMemory>,
  where: Partial<OfferMemory> = {},
  id?: string,
): Promise<boolean> {
  const joined = (columns: object, separator: string) =>
    Object.entries(columns)
      .map(([name, value]) => sql`${sql([name])} = ${value}`)
      .reduce((all, one) => sql`${all}${sql([separator])}${one}`)
  const changed = await sql`
    update placard_offer set ${joined(parts, ', ')}
    where ${joined({ id: 1, ...where }, ' and ')}
    ${id === undefined ? sql`` : sql`and exists (select 1 from placard_event where id = ${id})`}
    returning id`.execute(db)
  return changed.length > 0
}
