import type { Announcement } from '../core/announcement.ts'
import type { HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'

/** How many times something may be redeemed, and how many times it has been. */
export interface Limit {
  max: number
  redeemed: number
}

/**
 * The state kept between two questions to the provider, in one row. Times are in ms since 1970 by the database's clock,
 * except `since`, which is in seconds, and `heard_at`: both are by the provider's clock.
 */
export interface OfferMemory {
  /** When to ask next. A claim moves it ahead, and a trigger sets it to 0. */
  due_at: number
  /** The provider asked for no requests before this time. */
  not_before: number
  /** When the last question that got an answer was sent. */
  asked_at: number
  /** How many questions in a row got no answer. */
  failures: number
  /** 1 if the coupon or its promotion code has a limit, or may have one, as after an undo. */
  limited: number
  /** 1 once this key has retrieved the coupon. */
  seen: number
  /** The id of the announcement that is paused until the provider confirms its coupon. */
  paused: string | null
  /** When a person last decided what the slot shows. */
  decided_at: number
  /** Identifies the API key that was last used; `null` before the first use. */
  key: string | null
  /** The time up to which events were listed with this key; `null` before its first answer. */
  since: number | null
  /** When events were last listed. */
  listed_at: number
  /** The id of the last notification that the provider delivered, and when it was created. */
  heard_event: string | null
  heard_at: number
}

/** The memory for asking the provider again (contract T3, T4). Every method rejects like the store's methods. */
export interface Offers {
  /** Returns the memory, and the current time by the database's clock. */
  recall(now: number): Promise<OfferMemory & { time: number }>
  /**
   * Changes parts of the memory, if the parts in `where` still have these values. Other nodes aren't notified, because
   * no page changes.
   *
   * @param id an announcement that must still be published
   * @returns whether it changed them
   */
  remember(parts: Partial<OfferMemory>, where?: Partial<OfferMemory>, id?: string): Promise<boolean>
  /** The announcement that a coupon published: live, hidden or paused. */
  standing(): Promise<Announcement | null>
  /**
   * Takes the announcement down for good, because the checkout refuses its coupon.
   *
   * @param askedAt the value of `asked_at` when the question was sent. If it has changed since, nothing happens
   */
  takeDown(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Keeps the announcement off the pages until {@link resume}, under the same condition. */
  pause(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Shows the paused announcement again. */
  resume(now: number): Promise<boolean>
  /** The given notifications that the ledger doesn't have. */
  unseen<T extends { id: string; type: string }>(notifications: readonly T[]): Promise<T[]>
  /** Why a coupon can't be redeemed, according to the latest notification or answer about it; `null` if it can. */
  lastRefusal(coupon: string): Promise<Reason | null>
  /** The history entry that an undo would undo, if there is one (contract R9). */
  undoable(entry: number | null): Promise<HistoryEntry | null>
}

/** Lets a browser into the admin: a session, or a link's code, which is exchanged for a session (contract O1, O2). */
export interface Token {
  kind: 'code' | 'session'
  /** SHA-256 of the value that the browser holds, in base64url. The value itself is not stored. */
  hash: string
  /** The person's name in the history; `null` if they gave none. */
  name: string | null
  /** HMAC of the hash, keyed with the API secret that allowed the token. */
  proof: string
  /** When it expires if it isn't used: milliseconds since 1970. */
  idleAt: number
  /** When it expires in any case. */
  endsAt: number
}

/** Every method rejects like the store's methods. */
export interface Tokens {
  add(token: Token, now: number): Promise<void>
  /** The token with this hash, unless it has expired. */
  find(hash: string, now: number): Promise<Token | null>
  /** Exchanges one token for another. Of several callers, on any nodes, only one succeeds. */
  exchange(hash: string, token: Token, now: number): Promise<boolean>
  remove(hash: string): Promise<void>
  extend(hash: string, idleAt: number): Promise<void>
}
