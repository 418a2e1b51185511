import type { Announcement } from '../core/announcement.ts'
import type { HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'

/** How often something may be redeemed in all, and how often it has been. */
export interface Limit {
  max: number
  redeemed: number
}

/**
 * What is remembered between two questions to the provider: one row about the published coupon. Times are by the
 * database's clock, in ms since 1970, except `since`.
 */
export interface OfferMemory {
  /** When to ask next. A claim moves it ahead, and a trigger sets it to 0. */
  due_at: number
  /** Until when the provider wants no questions. */
  not_before: number
  /** When the question of the last answer was sent. */
  asked_at: number
  /** How many questions in a row had no answer. */
  failures: number
  /** 1 if the coupon has a limit, or may have one, as after an undo. */
  limited: number
  /** 1 once this key has retrieved the coupon. */
  seen: number
  /** The announcement that is hidden until the provider answers. */
  paused: string | null
  /** When a person last decided what the slot shows. */
  decided_at: number
  /** Identifies the key that was used; `null` before the first. */
  key: string | null
  /** Up to when this key knows events: the provider's seconds since 1970; `null` before its first answer. */
  since: number | null
  /** When events were listed. */
  listed_at: number
  /** The last notification that the provider delivered, and when it was created. */
  heard_event: string | null
  heard_at: number
}

/** The memory for asking the provider again (contract T3, T4). Every method rejects as the store does. */
export interface Offers {
  /** What is remembered, and the time by the database's clock. */
  recall(now: number): Promise<OfferMemory & { time: number }>
  /**
   * Changes parts of the memory, if the parts in `where` are still the same. Other nodes aren't notified, because no
   * page changes.
   *
   * @param id an announcement that must still be published
   * @returns whether it did
   */
  remember(parts: Partial<OfferMemory>, where?: Partial<OfferMemory>, id?: string): Promise<boolean>
  /** The announcement published from a coupon: live, hidden or paused. */
  standing(): Promise<Announcement | null>
  /**
   * Takes the announcement down for good, because the checkout refuses its coupon.
   *
   * @param askedAt `asked_at` when the question was sent. If it has changed since, nothing happens
   */
  takeDown(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Hides the announcement until {@link resume}, under the same condition. */
  pause(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Shows the paused announcement again. */
  resume(now: number): Promise<boolean>
  /** The notifications that were never applied. */
  unseen<T extends { id: string; type: string }>(notifications: readonly T[]): Promise<T[]>
  /** Why a coupon can't be redeemed, by the latest notification or answer about it; `null` if it can. */
  lastRefusal(coupon: string): Promise<Reason | null>
  /** The history entry that an undo would undo, if there is one (contract R9). */
  undoable(entry: number | null): Promise<HistoryEntry | null>
}

/** Lets a browser into the admin: a session, or the code of a link, which becomes one (contract O1, O2). */
export interface Token {
  kind: 'code' | 'session'
  /** SHA-256 of the browser's code, in base64url. The code itself is not stored. */
  hash: string
  /** The person's name in the history; `null` if they gave none. */
  name: string | null
  /** HMAC of the hash with the API secret that the token came from. */
  proof: string
  /** When it expires if it isn't used: milliseconds since 1970. */
  idleAt: number
  /** When it expires in any case. */
  endsAt: number
}

/** Every method rejects as the store does. */
export interface Tokens {
  add(token: Token, now: number): Promise<void>
  /** The token with this hash, unless it has expired. */
  find(hash: string, now: number): Promise<Token | null>
  /** Replaces one token by another. Of several callers, on any node, only one succeeds. */
  exchange(hash: string, token: Token, now: number): Promise<boolean>
  remove(hash: string): Promise<void>
  extend(hash: string, idleAt: number): Promise<void>
}
