import type { Announcement, By, Draft, Scheduled, Selector } from '../announcement.ts'
import type { Board } from '../board.ts'
import type { HistoryAction, HistoryEntry } from '../history.ts'
import type { Limiter } from '../limiter/limiter.ts'

/**
 * What a payment provider's notification asks for, with what is needed to do it once and in order
 * (contract W6).
 */
export interface CouponNotification {
  /** The provider's id; `null` makes the notification new whenever it comes. */
  id: string | null
  type: string
  /** Seconds since 1970 at the provider; `null` means now. */
  created: number | null
  /** The coupon that it is about, where known. */
  coupon: string | null
  effect:
    | { kind: 'publish'; draft: Draft }
    /** Take down whatever coupon announcement is up. */
    | { kind: 'withdraw' }
    /** Take down the coupon announcement if this very coupon put it up (contract W5). */
    | { kind: 'retract'; reason: string }
    /** Nothing: the history says why (contract R8). */
    | { kind: 'none'; reason: string }
}

/** What a writer expects to find, asked when its turn has come: nobody else can write before it (contract A17). */
export type Expectation = (board: Board) => boolean

/** Why a write was not made. Nothing else has been written for it either. */
export interface Refusal {
  refused:
    | 'changed'
    | 'full'
    | 'not_found'
    /** The entry of the history tells of nothing that could be taken back. */
    | 'not_undoable'
    /** Something else has been done to the place since. */
    | 'changed_since'
    /** What was there has ended, or has started, by now. */
    | 'ended'
}

/** Who writes, when, and what it expects to find. */
export interface WriteContext {
  /** Milliseconds since 1970. */
  now: number
  by: By
  expects?: Expectation | undefined
}

export interface WithdrawResult {
  deleted: number
  /** How many of the type remain in the schedule (contract A13). */
  scheduled: number
}

/** What undoing did: what stood there, what stands there now, and the entry that tells of it. */
export interface UndoResult {
  action: HistoryAction
  before: Announcement | Scheduled | null
  after: Announcement | Scheduled | null
  entry: number
}

/** What became of a notification; a repeat gets the first one's again. */
export interface Receipt {
  outcome: 'published' | 'withdrawn' | 'ignored'
  /** Why it was ignored. */
  reason?: string
}

export interface WatchListener {
  /** Something was written, here or elsewhere; may be called without cause, never too late. */
  changed(): void
  /**
   * Whether changes made elsewhere are heard. While they aren't, nobody may serve from memory
   * (contract R3). A change to `true` comes before the `changed` that makes up for what was missed.
   */
  hearing(yes: boolean): void
}

/**
 * The database can't be asked, or refused: `cause` is the driver's word. A mistake of ours is never one of
 * these, so that it is not taken for something that passes.
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('The database is unavailable', { cause })
    this.name = 'StoreUnavailable'
  }
}

/**
 * What a driver threw, as a store rejects with it. A `TypeError` is a mistake in our call, and stays itself:
 * drivers report everything else in other ways.
 */
export function fromDriver(error: unknown): unknown {
  return error instanceof TypeError ? error : new StoreUnavailable(error)
}

/**
 * Where announcements are kept. Every method rejects with {@link StoreUnavailable} when the database can't be
 * asked, and has then either done everything or nothing.
 */
export interface Store {
  /** All that decides what shows, of one moment. What has ended or is due may still be among it. */
  load(): Promise<Board>

  /**
   * Replaces the announcement of the draft's type in one atomic statement. Its timestamp is `now`, or one
   * more than the last ever given if that is later: clocks step back (contract R1).
   *
   * Like every write, it first stores what time has brought about by `now`, and adds its entry to the history in the
   * same transaction (contract A14, R8).
   */
  publish(draft: Draft, context: WriteContext): Promise<Announcement | Refusal>

  /** Keeps a draft until `startsAt`, at most 20 of them (contract A14). */
  schedule(draft: Draft, startsAt: number, context: WriteContext): Promise<Scheduled | Refusal>

  /** Replaces a scheduled one, which keeps its id; without a start it becomes the event of its type at once. */
  reschedule(
    id: string,
    draft: Draft,
    startsAt: number | null,
    context: WriteContext,
  ): Promise<Scheduled | Announcement | Refusal>

  /** Removes the event of a type, or the event or scheduled one of an id; counts what had not ended (contract A13). */
  withdraw(selector: Selector, context: WriteContext): Promise<WithdrawResult | Refusal>

  /** Ledger, order check and write in one transaction (contract W6). */
  applyNotification(notification: CouponNotification, now: number): Promise<Receipt>

  /** Undoes an entry of the history, or the last one that can be undone (contract R9). */
  undo(entry: number | null, context: WriteContext): Promise<UndoResult | Refusal>

  /** Stores every start and end that is due at `now`. @returns whether this call stored one */
  recordTransitions(now: number): Promise<boolean>

  /** History entries of starts and ends that were stored at `until` or before, and for which no cache was purged. */
  unpurged(until: number): Promise<number[]>

  /** Remembers that the caches were purged for these entries. */
  markPurged(entries: readonly number[]): Promise<void>

  /** The newest entries of the history first, those before an entry where one is given (contract R8). */
  history(limit: number, before: number | null): Promise<HistoryEntry[]>

  /**
   * A limiter that all nodes share, where the store can keep one; a process otherwise counts for itself.
   * Exact over all nodes: `limit` requests in any `windowMs` (contract A1).
   */
  limiter?(limit: number, windowMs: number): Limiter

  /** Calls back on changes that others make, from the first call on until `close`. At most one listener. */
  watch(listener: WatchListener): void

  /**
   * Brings the tables up to date, where there are tables. Every other method sees to that first too.
   *
   * @returns the names of the migrations that it, or a call before it, applied
   */
  migrate?(): Promise<readonly string[]>

  /** Resolves when the database answers. */
  ping(): Promise<void>

  close(): Promise<void>
}
