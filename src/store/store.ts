import type { Announcement, By, Draft, Scheduled, Selector } from '../core/announcement.ts'
import type { Board } from '../core/board.ts'
import type { HistoryAction, HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Limiter } from './limiter.ts'
import type { Offers, Tokens } from './parts.ts'

export type { Limit, OfferMemory, Offers, Token, Tokens } from './parts.ts'

/** The effect of a payment provider's notification, and the data for applying it once and in order (contract W6). */
export interface CouponNotification {
  /** The provider's id. With `null`, the notification counts as new. */
  id: string | null
  type: string
  /** Seconds since 1970 by the provider's clock; `null` means now. */
  created: number | null
  /** The coupon that the notification is about, if known. */
  coupon: string | null
  /** The coupon's name, for the history. */
  couponName?: string | undefined
  /** Whether the coupon or its promotion code has a limit, or may have one. */
  limited?: boolean
  /** Whether the key has retrieved the coupon. */
  seen?: boolean
  /** Whether the notification was sent in live mode; `null` if it doesn't say. */
  live?: boolean | null
  /**
   * The latest instant at which it can have happened, by our clock: milliseconds since 1970. A person's later decision
   * overrules it (contract T4). Without `happenedAt`, no decision does.
   */
  happenedAt?: number
  /** When its coupon was requested, by our clock. Default: `happenedAt`, or else now. */
  askedAt?: number
  /** Whether the provider delivered it. Unset for a simulated one, and for one found by catching up. */
  delivered?: boolean
  /** Whether no request waits for it or repeats it. If so, a node that finds it in the history purges the caches. */
  unattended?: boolean
  effect:
    | {
        kind: 'publish'
        draft: Draft
        /**
         * Why the checkout already refuses the coupon. If set, nothing is published, but the announcement that it would
         * have replaced is taken down (contract T2).
         */
        refused?: Reason
      }
    /** Take down the published coupon announcement. */
    | { kind: 'withdraw' }
    /** Take down the coupon announcement if this coupon published it (contract W5). */
    | {
        kind: 'retract'
        reason: Reason
      }
    /** Do nothing. The history says why (contract R8). */
    | { kind: 'none'; reason: Reason }
}

/**
 * Whether the board is as a writer expects (contract A17). It runs inside the transaction, so nobody else can write
 * between the check and the write.
 *
 * @param edited the announcement that the write would replace, if the request names its id
 */
export type Expectation = (board: Board, edited?: Announcement | Scheduled) => boolean

/** Why a write was refused. The write isn't stored, but starts and ends that were due are. */
export interface Refusal {
  refused:
    | 'changed'
    | 'full'
    | 'not_found'
    /** The history entry changed nothing that can be undone. */
    | 'not_undoable'
    /** The slot, or the place in the schedule, has changed since. */
    | 'changed_since'
    /** The announcement to restore has ended, or its start has passed. */
    | 'ended'
    /** A published announcement keeps its type, can't be scheduled, and can't outlast its coupon (contract A18). */
    | 'other_type'
    | 'is_up'
    | 'outlasts_coupon'
}

/** Who writes, when, and what they expect to find. */
export interface WriteContext {
  /** Milliseconds since 1970. */
  now: number
  by: By
  expects?: Expectation | undefined
  /** Called with the id of each history entry of the write, before the commit; not called if nothing changes. */
  wrote?: ((entry: number) => void) | undefined
}

export interface WithdrawResult {
  deleted: number
  /** How many of the type are still scheduled (contract A13). */
  scheduled: number
}

/** The result of an undo: the announcement before, the one after, and the entry that records it. */
export interface UndoResult {
  action: HistoryAction
  before: Announcement | Scheduled | null
  after: Announcement | Scheduled | null
  entry: number
}

/** What a notification did. A repeat gets the same receipt as the first. */
export interface Receipt {
  outcome: 'published' | 'withdrawn' | 'ignored'
  /** Why it was ignored. */
  reason?: string
}

export interface WatchListener {
  /** Something was written, by this or another process. It may be called without a change, but in time for R3. */
  changed(): void
  /** Whether others' changes arrive. While `false`, some may be lost, and the node serves nothing from memory (R3). */
  hearing(yes: boolean): void
}

/** The visible state of a database (contract R12). Each kind has its own fields. */
export interface DatabaseState {
  kind: 'sqlite' | 'postgres'
  /** The path of its file, unless it is in memory. */
  file?: string | undefined
  /** How many bytes can still be written to its disk. */
  freeBytes?: number | undefined
  journalMode?: string
  synchronous?: number
  /** As in `server_version_num`: 180004. */
  version?: number
  /** The time by its clock: milliseconds since 1970. */
  now?: number
  /** Whether it accepts no writes, like a replica. */
  readOnly?: boolean
  /** Whether a pooler or proxy answers instead of the server. */
  pooled?: boolean
  /** The error, if the state couldn't be read. */
  failed?: unknown
}

/** Turns a driver's error into the one that a store rejects with. A `TypeError` is a bug of ours and stays as it is. */
export function fromDriver(error: unknown): unknown {
  return error instanceof TypeError ? error : new StoreUnavailable(error)
}

/**
 * Stores announcements. Every method rejects with {@link StoreUnavailable} if the database can't be reached. It has
 * then done either everything or nothing.
 */
export interface Store {
  /**
   * Reads, as of one moment, everything that determines what shows. It may include announcements that have ended or are
   * due to start.
   */
  load(): Promise<Board>

  /**
   * Replaces the announcement of the draft's type in one atomic statement. Its timestamp is `now`, or the last one + 1
   * if that is later, because clocks may step back (contract R1).
   *
   * Like every write, it first stores every start and end that is due at `now`, and adds its history entry in the same
   * transaction (contract A14, R8).
   */
  publish(draft: Draft, context: WriteContext): Promise<Announcement | Refusal>

  /** Schedules a draft, unless 20 are scheduled. For a repeat of the latest draft, returns its announcement (A14). */
  schedule(draft: Draft, startsAt: number, context: WriteContext): Promise<Scheduled | Refusal>

  /**
   * Replaces a published or a scheduled announcement. It keeps its id, and a published one keeps everything that
   * isn't in the draft. A scheduled one without a start becomes the event of its type immediately (contract A18).
   */
  edit(
    id: string,
    draft: Draft,
    startsAt: number | null,
    context: WriteContext,
  ): Promise<Scheduled | Announcement | Refusal>

  /** Removes the event of a type, or an announcement by its id, and counts those that had not ended (contract A13). */
  withdraw(selector: Selector, context: WriteContext): Promise<WithdrawResult | Refusal>

  /** Checks the ledger and the order, and writes, in one transaction (contract W6). */
  applyNotification(notification: CouponNotification, now: number): Promise<Receipt>

  /** Undoes a history entry; with `null`, the last that is neither an undo nor `not_undoable` (contract R9). */
  undo(entry: number | null, context: WriteContext): Promise<UndoResult | Refusal>

  /** Stores every start and end that is due at `now`. @returns whether this call stored any */
  recordTransitions(now: number): Promise<boolean>

  /** The ids of history entries for changes that no request waits for and for which the caches aren't purged yet. */
  unpurged(): Promise<number[]>

  /** Remembers that the caches were purged for these entries. */
  markPurged(entries: readonly number[]): Promise<void>

  /** History entries, the newest first; with `before`, only those older than that entry (contract R8). */
  history(limit: number, before: number | null): Promise<HistoryEntry[]>

  /** The memory for asking Stripe about the published coupon. Without it, the service never asks. */
  readonly offers?: Offers

  /** The admin's sessions (contract O2). With a store that lacks them, there can be no admin. */
  readonly tokens?: Tokens

  /**
   * A limiter that all nodes share, exact across all of them: `limit` requests in any `windowMs` (contract A1). If the
   * store can't keep one, each process counts for itself.
   */
  limiter?(limit: number, windowMs: number): Limiter

  /**
   * Notifies the listener of other processes' changes until `close`. There is at most one listener.
   *
   * Omit it if the process may be frozen or ended between two requests. The service then serves nothing from memory,
   * runs nothing in the background and has no stream.
   */
  watch?(listener: WatchListener): void

  /**
   * Brings the tables up to date, if the store has any. In a store with `watch`, every other query does so first.
   *
   * @returns the numbers of the migrations that it, or an earlier call, applied
   */
  migrate?(): Promise<readonly number[]>

  /**
   * Whether writes reach the disk, as far as this node knows: `false` from a failed write to the next committed one.
   * Until then, each write also changes a row and restores it, and `recordTransitions` writes even if nothing is due.
   */
  writable?(): boolean

  /** Resolves when the database answers. */
  ping(): Promise<void>

  /** Reads the state of the database, and changes nothing. It never rejects. */
  inspect?(): Promise<DatabaseState>

  close(): Promise<void>
}
