import type { Announcement, By, Draft, Scheduled, Selector } from '../core/announcement.ts'
import type { Board } from '../core/board.ts'
import type { HistoryAction, HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Limiter } from './limiter.ts'
import type { Offers } from './store-offers.ts'
import type { Tokens } from './store-tokens.ts'

export type { Limit, OfferAnswer, Offers, Renewed, Turn } from './store-offers.ts'
export type { Token, Tokens } from './store-tokens.ts'

/** What a payment provider's notification asks for, and what is needed to do it once and in order (contract W6). */
export interface CouponNotification {
  /** The provider's id. Without one (`null`) the notification counts as new. */
  id: string | null
  type: string
  /** Seconds since 1970 by the provider's clock; `null` means now. */
  created: number | null
  /** The coupon that it is about, if known. */
  coupon: string | null
  /** The coupon's name, for the history. */
  couponName?: string | undefined
  /** Whether the coupon has a limit. */
  limited?: boolean
  /** Whether the key has retrieved it. */
  seen?: boolean
  /** Whether it is of the live mode; `null` if it doesn't say. */
  live?: boolean | null
  /**
   * When it happened at the latest, by our clock: milliseconds since 1970. What somebody decided later then stands
   * (contract T4). Without it, the time of a decision doesn't matter.
   */
  happenedAt?: number
  /** When the question was sent whose answer is in it, by our clock. By default, when it happened. */
  askedAt?: number
  /** The provider delivered it. Left out for what is made up or was caught up with. */
  delivered?: boolean
  /** No request waits for it or repeats it. The node that finds it in the history purges the caches. */
  unattended?: boolean
  effect:
    | {
        kind: 'publish'
        draft: Draft
        /** The checkout refuses it by now, so it replaces what is up and comes down itself (contract T2). */
        refused?: Reason
      }
    /** Take down the published coupon announcement. */
    | { kind: 'withdraw' }
    /** Take down the coupon announcement if this very coupon put it up (contract W5). */
    | {
        kind: 'retract'
        reason: Reason
      }
    /** Do nothing. The history says why (contract R8). */
    | { kind: 'none'; reason: Reason }
}

/**
 * Whether the board is what a writer expects (contract A17). It is called inside the transaction, so nobody else can write
 * between this and the write.
 *
 * @param edited what the write is to replace, where that is named by its id
 */
export type Expectation = (board: Board, edited?: Announcement | Scheduled) => boolean

/** Why a write was refused. Nothing was written for it. */
export interface Refusal {
  refused:
    | 'changed'
    | 'full'
    | 'not_found'
    /** The entry of the history changed nothing that could be undone. */
    | 'not_undoable'
    /** Its slot, or its place in the schedule, has changed since. */
    | 'changed_since'
    /** What was there has ended or started by now. */
    | 'ended'
    /** What is published keeps its type, can't be scheduled, and ends with its coupon (contract A18). */
    | 'other_type'
    | 'is_up'
    | 'outlasts_coupon'
}

/** Who writes, when, and what it expects to find. */
export interface WriteContext {
  /** Milliseconds since 1970. */
  now: number
  by: By
  expects?: Expectation | undefined
  /** Called with each history entry that the write makes, before the commit. A write that changes nothing makes none. */
  wrote?: ((entry: number) => void) | undefined
}

export interface WithdrawResult {
  deleted: number
  /** How many of the type are still scheduled (contract A13). */
  scheduled: number
}

/** What undoing did: what was there, what is there now, and the entry that records it. */
export interface UndoResult {
  action: HistoryAction
  before: Announcement | Scheduled | null
  after: Announcement | Scheduled | null
  entry: number
}

/** What became of a notification. A repeat gets the same receipt as the first. */
export interface Receipt {
  outcome: 'published' | 'withdrawn' | 'ignored'
  /** Why it was ignored. */
  reason?: string
}

export interface WatchListener {
  /** Something was written, here or elsewhere. May be called without a cause, but never too late. */
  changed(): void
  /**
   * Whether changes made elsewhere are heard. While they aren't, nobody may serve from memory (contract R3). A call with
   * `true` may mean that changes were missed.
   */
  hearing(yes: boolean): void
}

/** What can be seen of a database (contract R12). Each kind has fields of its own. */
export interface DatabaseState {
  kind: 'sqlite' | 'postgres'
  /** Where it is, unless it is in memory. */
  file?: string | undefined
  /** How much may still be written on its disk. */
  freeBytes?: number | undefined
  journalMode?: string
  synchronous?: number
  /** As in `server_version_num`: 180004. */
  version?: number
  /** The time by its clock: milliseconds since 1970. */
  now?: number
  /** Whether it takes no writes, as a replica doesn't. */
  readOnly?: boolean
  /** Whether something between us and the server answers in its name. */
  pooled?: boolean
  /** What was thrown when it was asked. */
  failed?: unknown
}

/**
 * Turns what a driver threw into what a store rejects with. A `TypeError` is a mistake in our call and stays as it is,
 * because drivers report everything else in other ways.
 */
export function fromDriver(error: unknown): unknown {
  return error instanceof TypeError ? error : new StoreUnavailable(error)
}

/**
 * Where announcements are kept. Every method rejects with {@link StoreUnavailable} when the database can't be reached. It
 * has then done either everything or nothing.
 */
export interface Store {
  /** All that decides what shows, at one moment. It may still hold what has ended or is due. */
  load(): Promise<Board>

  /**
   * Replaces the announcement of the draft's type in one atomic statement. Its timestamp is `now`, or one more than the
   * last ever given if that is later, because clocks step back (contract R1).
   *
   * Like every write, it first stores every start and end that is due at `now`, and adds its entry to the history in the
   * same transaction (contract A14, R8).
   */
  publish(draft: Draft, context: WriteContext): Promise<Announcement | Refusal>

  /** Keeps a draft until `startsAt`, at most 20 of them; a repeat of the latest is that one (contract A14). */
  schedule(draft: Draft, startsAt: number, context: WriteContext): Promise<Scheduled | Refusal>

  /**
   * Replaces what is published or scheduled. It keeps its id, and a published one all that isn't in the draft. A scheduled one
   * without a start becomes the event of its type at once (contract A18).
   */
  edit(
    id: string,
    draft: Draft,
    startsAt: number | null,
    context: WriteContext,
  ): Promise<Scheduled | Announcement | Refusal>

  /** Removes the event of a type, or an announcement by its id, and counts those that had not ended (contract A13). */
  withdraw(selector: Selector, context: WriteContext): Promise<WithdrawResult | Refusal>

  /** Ledger, order check and write in one transaction (contract W6). */
  applyNotification(notification: CouponNotification, now: number): Promise<Receipt>

  /** Undoes an entry of the history, or the last one that is not itself an undo (contract R9). */
  undo(entry: number | null, context: WriteContext): Promise<UndoResult | Refusal>

  /** Stores every start and end that is due at `now`. @returns whether this call stored one */
  recordTransitions(now: number): Promise<boolean>

  /** History entries of starts and ends for which no cache was purged yet. */
  unpurged(): Promise<number[]>

  /** Remembers that the caches were purged for these entries. */
  markPurged(entries: readonly number[]): Promise<void>

  /** The newest entries of the history first, those before an entry where one is given (contract R8). */
  history(limit: number, before: number | null): Promise<HistoryEntry[]>

  /** What is known of the coupon that stands. Without it, nothing is asked again. */
  readonly offers?: Offers

  /** Who is signed in to the admin (contract O2). Without it, there can be no admin. */
  readonly tokens?: Tokens

  /**
   * A limiter that all nodes share, if the store can keep one. Without it, each process counts for itself. It is exact
   * over all nodes: `limit` requests in any `windowMs` (contract A1).
   */
  limiter?(limit: number, windowMs: number): Limiter

  /**
   * Calls back on changes that others make, until `close`. There is at most one listener.
   *
   * Without it, the process may be frozen or ended between two requests. So memory is never served, nothing works in the
   * background, and there is no stream.
   */
  watch?(listener: WatchListener): void

  /**
   * Brings the tables up to date, if there are tables. Every other method does that first too.
   *
   * @returns the names of the migrations that it, or a call before it, applied
   */
  migrate?(): Promise<readonly number[]>

  /**
   * Whether writes get to the disk, as far as this node knows: `false` from a failed write to the next one that is
   * committed. Until then each write also changes a row and puts it back, and `recordTransitions` writes even if nothing
   * is due.
   */
  writable?(): boolean

  /** Resolves when the database answers. */
  ping(): Promise<void>

  /** Looks at the database, and changes nothing in it. It doesn't reject. */
  inspect?(): Promise<DatabaseState>

  close(): Promise<void>
}
