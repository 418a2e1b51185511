import type { Announcement } from '../core/announcement.ts'
import type { HistoryEntry } from '../core/history.ts'
import type { Reason } from '../core/messages.ts'

/** How often something may be redeemed in all, and how often it was. */
export interface Limit {
  max: number
  redeemed: number
}

/** The claim to ask the provider, which one node holds at a time. All spans are by the database's clock. */
export interface Turn {
  token: number
  /** The announcement that a coupon put up, live, hidden or paused. */
  standing: Announcement | null
  paused: boolean
  /** Whether the coupon has a limit, or may have one: nothing is known of what an undo has just brought back. */
  limited: boolean
  /** Whether this key has retrieved the coupon since it was put up. */
  seen: boolean
  /** How long ago the question of the last answer was sent, in ms. */
  silentMs: number
  /** Questions in a row that were not answered. */
  failures: number
  /** Up to when this key's events are known: the provider's seconds since 1970; `null` before its first answer. */
  since: number | null
  /** How long ago events were listed, in ms; negative if the clock was set back since. */
  listedMs: number
}

export interface Renewed {
  token: number
  /** Whether there was a trigger, or a change of what stands. */
  triggered: boolean
  /** For how long the provider wants no questions, in ms. */
  quietMs: number
}

/** What an answer says of the announcement that was asked about. */
export interface OfferAnswer {
  id: string
  /** When its question was sent, by the caller's clock. */
  askedAt: number
  limited: boolean
  /** Whether the key has the coupon. */
  seen: boolean
}

/** What asking the provider again needs to remember (contract T3, T4). Every method rejects as the store does. */
export interface Offers {
  /**
   * Claims the row, if its time has come; else says in how many ms it comes.
   *
   * @param key tells keys apart. What another key has learned is forgotten
   * @param wanted claims it before its time, unless somebody else holds it or the last question was not answered
   */
  claim(key: string, wanted: boolean, now: number): Promise<Turn | { waitMs: number }>
  /** Goes on with a claim before a question. @returns `null` if another node holds it by now */
  renew(token: number, now: number): Promise<Renewed | null>
  /** For how long the provider wants no questions, in ms. */
  quietMs(now: number): Promise<number>
  /** Remembers that the provider wants none for so many ms. */
  keepQuiet(ms: number, now: number): Promise<void>
  /** Writes what an answer says, unless a later one was written or something else stands. */
  answer(answer: OfferAnswer, now: number): Promise<void>
  /**
   * Ends a claim.
   *
   * @param failed whether the question was sent and not answered; left out if none was sent
   * @returns in how many ms to come again, which is at once if there was a trigger or a change meanwhile
   */
  end(token: number, nextMs: number, failed: boolean | undefined, now: number): Promise<number>
  /** Makes the next question due, unless the last one was not answered. @returns whether it is */
  trigger(): Promise<boolean>
  /** Takes the announcement down for good, because the checkout refuses its coupon. */
  takeDown(id: string, reason: Reason, askedAt: number, now: number): Promise<boolean>
  /** Hides the announcement until {@link resume}, if there has been no answer about it for so long. */
  pause(id: string, reason: Reason, silenceMs: number, now: number): Promise<boolean>
  /** Shows again what is paused. */
  resume(now: number): Promise<boolean>
  /** Remembers up to when events are known, and that they were listed. */
  listed(since: number, now: number): Promise<void>
  /** Of these notifications, those that were never applied. */
  unseen<T extends { id: string; type: string }>(notifications: readonly T[]): Promise<T[]>
  /** The last notification that the provider delivered, unless it is too old for the provider to know it. */
  heard(now: number): Promise<string | null>
  /** Why a coupon can't be redeemed, by the latest notification or answer about it; `null` if that doesn't say so. */
  lastRefusal(coupon: string): Promise<Reason | null>
  /** The entry of the history that undoing would undo, if there is one (contract R9). */
  undoable(entry: number | null): Promise<HistoryEntry | null>
}
