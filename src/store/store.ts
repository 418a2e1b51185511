import type { Announcement, Draft, Selector } from '../announcement.ts'

/**
 * What a payment provider's notification asks for, with what is needed to do it once and in order
 * (contract W6).
 */
export interface Notice {
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

/** Where an address stands once a request of it has been counted. */
export interface Decision {
  admitted: boolean
  /** Requests that would be admitted right now. */
  remaining: number
  /** Milliseconds until one more would be. */
  resetMs: number
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
 * Counts a request of an address, whatever becomes of it.
 *
 * @throws StoreUnavailable when it can't count: then nothing is admitted (contract A3)
 */
export interface Limiter {
  count(address: string): Decision | Promise<Decision>
}

/**
 * Where announcements are kept. Every method rejects with {@link StoreUnavailable} when the database can't be
 * asked, and has then either done everything or nothing.
 */
export interface Store {
  /** The stored ones, at most one of a type, newest first. Ended ones may be among them. */
  list(): Promise<Announcement[]>

  /**
   * Replaces the announcement of the draft's type in one atomic statement. Its timestamp is `now`, or one
   * more than the last ever given if that is later: clocks step back (contract R1).
   */
  publish(draft: Draft, now: number): Promise<Announcement>

  /** Removes what matches; answers how many of these had not ended at `now` (contract A13). */
  withdraw(selector: Selector, now: number): Promise<number>

  /** Ledger, order check and write in one transaction (contract W6). */
  applyNotice(notice: Notice, now: number): Promise<Receipt>

  /**
   * A limiter that all nodes share, where the store can keep one; a process otherwise counts for itself.
   * Exact over all nodes: `limit` requests in any `windowMs` (contract A1).
   */
  limiter?(limit: number, windowMs: number): Limiter

  /** Calls back on changes that others make, from the first call on until `close`. At most one listener. */
  watch(listener: WatchListener): void

  /** Resolves when the database answers. */
  ping(): Promise<void>

  close(): Promise<void>
}
