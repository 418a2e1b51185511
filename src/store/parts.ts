import type { Announcement } from '../core/announcement.ts'
import type { HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'

/** How many times a coupon or a promotion code may be redeemed, and how many times it has been. */
export interface Limit {
  max: number
  redeemed: number
}

/**
 * One row of state that all nodes share, for asking the provider about the published coupon. Times are in ms since 1970
 * by the database's clock; `since` and `heard_at` use the provider's clock, and `since` is in seconds.
 */
export interface OfferMemory {
  /** When to ask the provider next; 0 means immediately. A node that is about to ask sets a later time. */
  due_at: number
  /** The provider asked us not to send requests before this time. */
  not_before: number
  /** When the service sent the last request that the provider answered. A change to the coupon slot also sets it. */
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
  heard_event: string | null
  /** When the provider created the last notification that it delivered. */
  heard_at: number
}

/** Reads and updates the {@link OfferMemory} and the offer's announcement (T3, T4). @throws StoreUnavailable */
export interface Offers {
  /** Returns the memory, and the current time by the database's clock. */
  recall(now: number): Promise<OfferMemory & { time: number }>
  /**
   * Updates the memory if it still has the values in `where`. Other nodes aren't notified, because no page changes.
   *
   * @param id if given, the memory changes only while the announcement with this id is published
   * @returns whether the memory was changed
   */
  remember(parts: Partial<OfferMemory>, where?: Partial<OfferMemory>, id?: string): Promise<boolean>
  /** The announcement that a coupon published, whether it is live, hidden or paused. */
  standing(): Promise<Announcement | null>
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

/** Lets a browser into the admin: a session, or a link's code, which the browser exchanges for a session (O1, O2). */
export interface Token {
  kind: 'code' | 'session'
  /** SHA-256, in base64url, of the secret value that the browser holds. The value itself isn't stored. */
  hash: string
  /** The person's name in the history; `null` if they gave none. */
  name: string | null
  /** HMAC of the hash, keyed with an API secret. The token is invalid once that secret is removed. */
  proof: string
  /** When the token expires if it isn't used: milliseconds since 1970. */
  idleAt: number
  /** When the token expires even if it is used: milliseconds since 1970. */
  endsAt: number
}

/** Stores the admin's tokens. @throws StoreUnavailable */
export interface Tokens {
  add(token: Token, now: number): Promise<void>
  /** Returns the token with this hash, unless the token has expired. */
  find(hash: string, now: number): Promise<Token | null>
  /** Exchanges the token with this hash for another. Of several callers, even on several nodes, only one succeeds. */
  exchange(hash: string, token: Token, now: number): Promise<boolean>
  remove(hash: string): Promise<void>
  extend(hash: string, idleAt: number): Promise<void>
}
