import type { Announcement } from '../core/announcement.ts'
import type { HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'

/** How often something may be redeemed in all, and how often it has been. */
export interface Limit {
  max: number
  redeemed: number
}

/** The claim to ask the provider, which one node holds at a time. All spans are by the database's clock. */
export interface Turn {
  token: number
  /** The announcement that a coupon published: live, hidden or paused. */
  standing: Announcement | null
  paused: boolean
  /** Whether the coupon has a limit, or may have one, as after an undo. */
  limited: boolean
  /** Whether this key has retrieved the coupon since it was published. */
  seen: boolean
  /** How long ago the question of the last answer was sent, in ms. */
  silentMs: number
  /** How many questions in a row were not answered. */
  failures: number
  /** Up to when this key knows events: the provider's seconds since 1970; `null` before its first answer. */
  since: number | null
  /** How long ago events were listed, in ms; negative if the clock was set back since. */
  listedMs: number
}

export interface Renewed {
  token: number
  /** Whether there was a trigger, or another coupon was published. */
  triggered: boolean
  /** For how long the provider wants no questions, in ms. */
  quietMs: number
}

/** The result of an answer about an announcement's coupon. */
export interface OfferAnswer {
  id: string
  /** When its question was sent, by the caller's clock. */
  askedAt: number
  limited: boolean
  /** Whether the key has the coupon. */
  seen: boolean
}

/** The memory for asking the provider again (contract T3, T4). Every method rejects as the store does. */
export interface Offers {
  /**
   * Claims the row if it is due; else returns in how many ms it will be.
   *
   * @param key identifies the key. Knowledge from another key is forgotten
   * @param wanted claims the row before it is due, unless another node holds it or the last question was not answered
   */
  claim(key: string, wanted: boolean, now: number): Promise<Turn | { waitMs: number }>
  /** Renews a claim before a question. @returns `null` if another node holds it by now */
  renew(token: number, now: number): Promise<Renewed | null>
  /** For how long the provider wants no questions, in ms. */
  quietMs(now: number): Promise<number>
  /** Remembers that the provider wants no questions for this long. */
  keepQuiet(ms: number, now: number): Promise<void>
  /** Stores an answer, unless a later one is stored or another announcement was published. */
  answer(answer: OfferAnswer, now: number): Promise<void>
  /**
   * Ends a claim.
   *
   * @param failed whether the question was sent and not answered; left out if none was sent
   * @returns in how many ms to come again: 0 after a trigger or a change
   */
  end(token: number, nextMs: number, failed: boolean | undefined, now: number): Promise<number>
  /** Makes the next question due, unless the last one was not answered. @returns whether it did */
  trigger(): Promise<boolean>
  /** Takes the announcement down for good, because the checkout refuses its coupon. */
  takeDown(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Hides the announcement until {@link resume}, if there was no answer about it for that long. */
  pause(id: string, reason: Reason, silenceMs: number, now: number): Promise<boolean>
  /** Shows the paused announcement again. */
  resume(now: number): Promise<boolean>
  /** Remembers up to when events are known, and that they were just listed. */
  listed(since: number, now: number): Promise<void>
  /** The notifications that were never applied. */
  unseen<T extends { id: string; type: string }>(notifications: readonly T[]): Promise<T[]>
  /** The last notification that the provider delivered, unless the provider has deleted it by now. */
  heard(now: number): Promise<string | null>
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
