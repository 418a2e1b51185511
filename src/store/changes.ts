import type { Announcement, Scheduled } from '../core/announcement.ts'
import { advance, type Board } from '../core/board.ts'
import { textKey } from '../core/checksum.ts'
import { type HistoryAction, type HistoryEntry, isScheduled } from '../core/history.ts'
import { loadAll, putEvent, putScheduled, removeEvent, removeScheduled } from './slots.ts'
import { type Db, instant, type Sql, sql } from './sql.ts'

/** How long history entries are kept, and the maximum number of entries (contract R8). */
const MAX_AGE_MS = 400 * 86_400_000
const MAX_ENTRIES = 10_000
/**
 * An entry is deleted for its age only if all of the newest 100 entries are more than 400 days newer, because a clock
 * that was wrong for a while may have misdated some of them.
 */
const WITNESSES = 100
const MAX_IGNORED = 1_000
/** The history is trimmed only once every 100 entries, because finding the old entries reads many rows. */
const TRIM_EVERY = 100

/** A change that a write makes. `make` derives the rows to write and the history entry from this change. */
export interface Change extends Pick<HistoryEntry, 'action' | 'by' | 'before' | 'after'> {
  reason?: string | null
  /** Set if no request is waiting for the change; its history entry then records that the caches must be purged. */
  unattended?: boolean | undefined
}

/** A write transaction, with the board as that transaction sees it. */
export interface WriteTransaction {
  readonly board: Board
  /** Whether starts or ends were due. `beginWrite` has already stored them. */
  readonly hadTransitions: boolean
  /**
   * Returns the timestamp for a new event: `now`, or the last timestamp + 1 if that is later, because clocks may step
   * back (R1).
   */
  stamp(): number
  /** Writes the rows of a change and its history entry. @returns the entry's id */
  make(change: Change): Promise<number>
}

/** Begins a write by storing every start and end that is due (contract A14). The returned board has none left. */
export async function beginWrite(db: Db, now: number): Promise<WriteTransaction> {
  const { board: stored, newest } = await loadAll(db)
  const { board, transitions } = advance(stored, now)
  let { last } = board
  let entry = newest

  async function record(at: number, change: Change) {
    const { action, by, before, after, reason, unattended } = change
    const id = ++entry
    const json = (one: object | null) => one && JSON.stringify(one)
    await sql`
      insert into placard_history (id, at, action, by, before, after, reason, text_key, unpurged_since)
      values (${id}, ${at}, ${action}, ${JSON.stringify(by)}, ${json(before)}, ${json(after)},
        ${reason ?? null}, ${before && textKey(before.text)}, ${unattended ? now : null})`.execute(
      db,
    )
    await trim(db, id, action)
    return id
  }

  async function setLast(to: number) {
    last = to
    await sql`update placard_clock set last = ${to}`.execute(db)
  }

  for (const { action, at, before, after } of transitions) {
    if (after) {
      await removeScheduled(db, after.id)
      await putEvent(db, after)
    } else if (before) await removeEvent(db, before.id)
    const { by } = (after ?? before) as Announcement
    await recordCouponSlotChange(db, { action, by, before, after }, at, now)
    await record(at, { action, by, before, after, unattended: true })
  }
  if (last !== stored.last) await setLast(last)

  let timestamp: number | undefined
  return {
    board,
    hadTransitions: transitions.length > 0,
    stamp() {
      timestamp ??= Math.max(now, last + 1)
      return timestamp
    },
    async make(change) {
      const { before, after } = change
      // An event replaces the row of its type, and a scheduled announcement replaces the row with its id.
      if (after) await (isScheduled(after) ? putScheduled(db, after) : putEvent(db, after))
      else if (before) await (isScheduled(before) ? removeScheduled : removeEvent)(db, before.id)
      if (timestamp !== undefined && timestamp !== last) await setLast(timestamp)
      await recordCouponSlotChange(db, change, now, now)
      return record(now, change)
    },
  }
}

/**
 * Changes a row and restores it, so that the commit writes to the disk. On a full disk, a commit without changes would
 * succeed, and SQLite doesn't write a row whose values stay the same.
 */
export async function probeDisk(db: Db): Promise<void> {
  await sql`update placard_clock set last = last + 1`.execute(db)
  await sql`update placard_clock set last = last - 1`.execute(db)
}

async function trim(db: Db, newest: number, action: HistoryAction): Promise<void> {
  if (newest % TRIM_EVERY === 0) {
    await sql`
      delete from placard_history where id < (
        select id from placard_history where at >= (
          select min(at) from (select at from placard_history order by id desc limit ${WITNESSES}) as newest
        ) - ${MAX_AGE_MS} order by id limit 1
      )`.execute(db)
    // Deleted rows leave gaps between the ids, so this statement counts rows instead of comparing ids.
    await sql`
      delete from placard_history where id <= (
        select id from placard_history order by id desc limit 1 offset ${MAX_ENTRIES - TRIM_EVERY}
      )`.execute(db)
  }
  if (action !== 'ignored') return
  await sql`
    delete from placard_history where action = 'ignored' and id <= (
      select id from placard_history where action = 'ignored' order by id desc limit 1 offset ${MAX_IGNORED}
    )`.execute(db)
}

type Row = Omit<HistoryEntry, 'by' | 'before' | 'after'> &
  Record<'by', string> &
  Record<'before' | 'after', string | null>

export async function findEntries(db: Db, condition: Sql): Promise<HistoryEntry[]> {
  const rows = await sql<Row>`
    select id, at, action, by, before, after, reason from placard_history where ${condition}`.execute(
    db,
  )
  return rows.map(({ by, before, after, ...entry }) => ({
    ...entry,
    by: JSON.parse(by),
    before: before && JSON.parse(before),
    after: after && JSON.parse(after),
  }))
}

/**
 * Records a change to the coupon slot. A person's decision overrules Stripe's earlier events (contract T4). The state
 * that was stored about the previous coupon, such as its pause, is reset. If a request made the change, the service
 * asks Stripe about the new coupon immediately (contract T3).
 *
 * A change to the coupon slot costs two statements at most, and any other change costs none.
 */
export async function recordCouponSlotChange(
  db: Db,
  change: Change,
  at: number,
  now: number,
): Promise<void> {
  const { before, after, action, by, unattended } = change
  if (!inSlot(before) && !inSlot(after)) return
  // Ending isn't a new decision, because the end time was set in advance.
  if (by.via !== 'stripe' && action !== 'ended') await recordDecision(db, at, now)
  // An edit keeps the coupon, so the state stored about the coupon stays valid.
  if (inSlot(before) && before.id === after?.id) return
  const isOffer = inSlot(after) && after.coupon !== null
  await sql`
    update placard_offer set due_at = ${unattended ? sql`due_at` : sql`0`}, asked_at = ${instant(db, now)}, seen = 0,
      limited = ${isOffer ? 1 : 0}, paused = null`.execute(db)
}

/** Records that a person decided what the coupon slot shows, even if nothing changed. */
export async function recordDecision(db: Db, at: number, now: number): Promise<void> {
  const decided = instant(db, now, at)
  await sql`
    update placard_offer set decided_at = ${decided} where decided_at < ${decided}`.execute(db)
}

/** Whether a person's latest decision about the coupon slot came after the instant `at`. */
export async function isDecidedSince(db: Db, at: number, now: number): Promise<boolean> {
  const [decided] = await sql`
    select 1 from placard_offer where decided_at > ${instant(db, now, at)}`.execute(db)
  return decided !== undefined
}

function inSlot(one: Announcement | Scheduled | null): one is Announcement {
  return one?.type === 'coupon' && !isScheduled(one)
}
