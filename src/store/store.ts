import type { Announcement, By, Draft, Scheduled, Selector } from '../core/announcement.ts'
import type { Board, EditRefusal } from '../core/board.ts'
import type { CouponNotification, Receipt } from '../core/coupon.ts'
import type { Facts } from '../core/facts.ts'
import type { HistoryEntry, UndoRefusal } from '../core/history.ts'
import type { Limiter } from '../core/limiter.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Tokens } from './tokens.ts'

export type { Token, Tokens } from './tokens.ts'

/**
 * Checks whether the board is as a writer expects (contract A17). The check runs inside the transaction, so no other
 * writer can change the board between the check and the write.
 *
 * @param board the board at the time of the write, with every due start and end applied
 * @param edited the announcement that the write would replace, if the request names its id
 */
export type Expectation = (board: Board, edited?: Announcement | Scheduled) => boolean

/** Why a write was refused. Even a refused write stores the starts and ends that were due. */
export interface Refusal {
  /** The reason, as a code. */
  refused: EditRefusal | UndoRefusal | 'changed' | 'not_found'
}

/** The time and the author of a write, and the state of the board that the author expects. */
export interface WriteContext {
  /** Milliseconds since 1970. */
  now: number
  /** The author. */
  by: By
  /** The condition of the write, checked inside its transaction. Default: none. */
  expects?: Expectation | undefined
}

/** What a write stored. */
export interface Written<One extends Announcement | Scheduled = Announcement | Scheduled> {
  announcement: One
  /** The id of the history entry that an undo of this write would undo; absent if the write changed nothing. */
  entry?: number
}

/** The result of a withdrawal. */
export interface WithdrawResult {
  /** How many announcements were taken down; 0 if nothing matched. */
  deleted: number
  /** How many announcements of the selected type are still scheduled (contract A13); 0 for a selector by id. */
  scheduled: number
  /** The id of the write's history entry; absent if nothing was deleted. */
  entry?: number
}

/** The result of an undo: the announcement before and after the undo, and the id of its history entry. */
export interface UndoResult extends Pick<HistoryEntry, 'action' | 'before' | 'after'> {
  /** The id of the undo's own history entry. */
  entry: number
}

/**
 * One row of state that all nodes share, for asking the provider about the published coupon. Times are in ms since 1970
 * by the database's clock; `since` and `delivered_at` use the provider's clock, and `since` is in seconds.
 */
export interface OfferMemory {
  /** When to ask the provider next; 0 means immediately. A node that is about to ask sets a later time. */
  due_at: number
  /** The provider asked us not to send requests before this time. */
  not_before: number
  /** When the service sent its last answered request about the coupon. A change to the coupon slot also sets it. */
  asked_at: number
  /** How many requests in a row the provider hasn't answered. */
  failures: number
  /** 1 if the coupon or its promotion code has a limit, or may have one, as after an undo. */
  limited: number
  /** 1 once the service has retrieved the coupon with the current API key. */
  seen: number
  /** The id of the announcement that is paused until the provider confirms its coupon. */
  paused: string | null
  /** When a person last decided what the coupon slot shows. */
  decided_at: number
  /** Identifies the API key that was last used; `null` before the first use. */
  key: string | null
  /** The time up to which events were listed with the current API key; `null` until the key gets its first answer. */
  since: number | null
  /** When the service last listed the provider's events. */
  listed_at: number
  /** The id of the last notification that the provider delivered. */
  delivered_event: string | null
  /** When the provider created the last notification that it delivered. */
  delivered_at: number
}

/** Durations are in ms. */
export interface LeaseTerms {
  /** Identifies the API key. If the key has changed, everything learned with the old key is forgotten. */
  key: string
  /** How long the lease lasts unless it is renewed. */
  lastsMs: number
  /**
   * Whether to acquire the lease before a request is due. Ignored if another node may hold the lease, or the last
   * request got no answer.
   */
  early: boolean
  /** The longest delay before a request; a longer stored delay is ignored, because the clock may have been set back. */
  longestWaitMs: { limited: number; unlimited: number }
}

/** Reads and updates the {@link OfferMemory} and the offer's announcement (T3, T4). @throws StoreUnavailable */
export interface Offers {
  /** Returns the memory, and the current time by the database's clock. */
  recall(now: number): Promise<OfferMemory & { time: number }>
  /**
   * Acquires the lease on requests to the provider if a request is due, in one statement, so that no two nodes get it.
   *
   * @returns the updated memory, or `undefined` if no request is due yet
   */
  acquireLease(
    terms: LeaseTerms,
    now: number,
  ): Promise<(OfferMemory & { time: number }) | undefined>
  /**
   * Updates the memory if it still has the values in `where`. Other nodes aren't notified, because no page changes.
   *
   * @param id if given, the memory changes only while the announcement with this id is published
   * @returns whether the memory was changed
   */
  remember(parts: Partial<OfferMemory>, where?: Partial<OfferMemory>, id?: string): Promise<boolean>
  /** The announcement that a coupon published, whether it is live, hidden or paused. */
  publishedOffer(): Promise<Announcement | null>
  /**
   * Takes the announcement down for good, because the checkout refuses its coupon.
   *
   * @param askedAt the value of `asked_at` when the request was sent. If `asked_at` has changed since, nothing happens
   */
  takeDown(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Takes the announcement off the pages until {@link resume}. Does nothing if `asked_at` is no longer `askedAt`. */
  pause(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Shows the paused announcement again. */
  resume(now: number): Promise<boolean>
  /** Returns the given notifications that aren't in the ledger. */
  unseen<T extends { id: string; type: string }>(notifications: readonly T[]): Promise<T[]>
  /** Why a coupon can't be redeemed, according to the latest notification or answer about it; `null` if it can. */
  lastRefusal(coupon: string): Promise<Reason | null>
  /** The history entry that an undo would undo, if there is one (contract R9). */
  undoable(entry: number | null): Promise<HistoryEntry | null>
}

/** The callbacks by which a store tells its service about other processes' writes. */
export interface WatchListener {
  /** Called after another process writes, in time for contract R3. May also be called at other times. */
  changed(): void
  /** Reports whether other nodes' changes arrive. While they don't, the node serves nothing from memory (R3). */
  hearing(yes: boolean): void
}

/** The state of a database, for the doctor (contract R12). SQLite and Postgres have different fields. */
export interface DatabaseState extends Omit<Facts['database'], 'kind' | 'aheadMs' | 'error'> {
  /** The time by Postgres's clock: milliseconds since 1970. */
  now?: number
  /** The error, if the state couldn't be read. */
  failed?: unknown
}

/** Wraps a driver's error in `StoreUnavailable`. A `TypeError` is a bug of ours and stays as it is. */
export function fromDriver(error: unknown): unknown {
  return error instanceof TypeError ? error : new StoreUnavailable(error)
}

/**
 * Stores announcements. Its methods reject with {@link StoreUnavailable} if the database can't be reached. A write that
 * rejects has been stored either completely or not at all.
 */
export interface Store {
  /** The database engine. */
  readonly kind: 'sqlite' | 'postgres'

  /**
   * Reads a consistent snapshot of the board, with the scheduled announcements soonest first. The board may include
   * announcements that have ended, and scheduled announcements whose start has passed.
   */
  load(): Promise<Board>

  /**
   * Publishes a draft, which replaces the event of its type in one atomic statement. The new timestamp is `now`, or the
   * last assigned timestamp + 1 if that is later, because clocks may step back (contract R1).
   *
   * Like every write, publishing first stores every start and end that is due at `now`, and adds a history entry in the
   * same transaction (contract A14, R8).
   */
  publish(draft: Draft, context: WriteContext): Promise<Written<Announcement> | Refusal>

  /** Schedules a draft, or returns the latest scheduled announcement if the draft repeats it (contract A14). */
  schedule(
    draft: Draft,
    startsAt: number,
    context: WriteContext,
  ): Promise<Written<Scheduled> | Refusal>

  /**
   * Replaces a published or a scheduled announcement, and keeps its id. A published announcement also keeps its
   * timestamp, author and coupon. A scheduled one is published immediately if `startsAt` is `null` (contract A18).
   */
  edit(
    id: string,
    draft: Draft,
    startsAt: number | null,
    context: WriteContext,
  ): Promise<Written | Refusal>

  /** Takes down the announcement that the selector names by type or id, unless it has already ended (contract A13). */
  withdraw(selector: Selector, context: WriteContext): Promise<WithdrawResult | Refusal>

  /** Applies a notification once and in order, in the same transaction as its ledger entry (contract W6). */
  applyNotification(notification: CouponNotification, now: number): Promise<Receipt>

  /** Undoes a history entry; with `null`, the last entry that is neither an undo nor `not_undoable` (contract R9). */
  undo(entry: number | null, context: WriteContext): Promise<UndoResult | Refusal>

  /** Stores every start and end that is due at `now`. @returns whether this call stored any */
  recordTransitions(now: number): Promise<boolean>

  /** Returns the ids of the history entries whose unattended changes still require a purge of the caches. */
  unpurged(): Promise<number[]>

  /** Records that the caches were purged for these history entries. */
  markPurged(entries: readonly number[]): Promise<void>

  /** Returns history entries, newest first; with `before`, only entries older than the one with that id (R8). */
  history(limit: number, before: number | null): Promise<HistoryEntry[]>

  /**
   * Returns the latest history entries whose `before` has this text, regardless of white space, newest first.
   *
   * @param since the earliest time of the entries, in milliseconds since 1970
   */
  historyOf(text: string, since: number): Promise<HistoryEntry[]>

  /** The stored state for asking Stripe about the published coupon. */
  readonly offers: Offers

  /** The admin's sessions and sign-in codes (contract O1, O2). */
  readonly tokens: Tokens

  /** Counts requests exactly across all nodes (contract A1). Without a `limiter`, each process counts separately. */
  readonly limiter?: Limiter

  /**
   * Notifies the listener of other processes' changes until `close` is called. A store has at most one listener.
   *
   * A store omits `watch` if its process may be frozen or ended between two requests. Without `watch`, the service
   * serves nothing from memory, runs nothing in the background and has no stream.
   */
  watch?(listener: WatchListener): void

  /**
   * Brings the tables up to date. A store with `watch` also migrates by itself before its first query.
   *
   * @returns the numbers of the migrations that this store has applied
   */
  migrate(): Promise<readonly number[]>

  /**
   * Whether writes reach the disk, as far as this node knows: `false` from a failed write until the next committed one.
   * While it is `false`, `recordTransitions` writes even if nothing is due, and each write also changes a row and
   * restores it, so that the commit proves that the disk accepts writes.
   */
  writable(): boolean

  /** Resolves when the database answers. */
  ping(): Promise<void>

  /** Reads the database's state, with a test write that changes nothing. Never rejects; an error is in `failed`. */
  inspect(): Promise<DatabaseState>

  /** Closes all connections. */
  close(): Promise<void>
}
