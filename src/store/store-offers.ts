import type { Announcement } from '../core/announcement.ts'
import type { HistoryEntry } from '../core/history.ts'

/** How often a coupon may be redeemed in all, and how often it was. */
export interface Limit {
  max: number
  redeemed: number
}

/** How far the notifications are caught up with (contract T4). */
export interface CaughtUp {
  /** Tells keys apart. It is not the key. */
  mark: string
  /** When the key was first used: seconds since 1970. */
  since: number
  /** Up to when events are known: seconds since 1970. */
  to: number
  /** The newest event that was listed. */
  event: string | null
}

/** The last notification that the provider delivered, which tells what account and mode the webhooks are of. */
export interface Heard {
  event: string
  /** When it was created: milliseconds since 1970. */
  since: number
  /** Whether it is of the live mode; `null` if it doesn't say. */
  live: boolean | null
}

/** A turn to ask the provider, which one node has at a time. */
export interface OfferTurn {
  token: number
  /** What a coupon put up, and stands. */
  standing: Announcement | null
  /** What was taken down for want of an answer, and may come back. */
  suspended: Announcement | null
  /** The limit of that coupon, `null` if it has none as far as that is known; `undefined` if an undo has put it up since. */
  limit: Limit | null | undefined
  /** Whether the coupon was ever retrieved. */
  seen: boolean
  /** When there was an answer about it, or when it was put up: milliseconds since 1970. */
  answeredAt: number
  /** Questions in a row that were not answered. */
  failures: number
  caughtUp: CaughtUp | null
  /** When events were last listed: milliseconds since 1970. */
  listedAt: number
}

export interface TurnEnd {
  token: number
  /** When the next turn comes. */
  nextMs: number
  /** `seen`: whether it is a coupon that the key has. */
  answer?: { coupon: string; limit: Limit | null; seen: boolean } | undefined
  failed?: boolean | undefined
  /** For how long the provider wants no questions, in ms. */
  quietMs: number
}

/** What asking the provider again needs to remember (contract T3, T4). Every method rejects as the store does. */
export interface Offers {
  /** Takes the turn, if it has come; else says when it comes. */
  takeTurn(leaseMs: number, now: number): Promise<OfferTurn | { waitMs: number }>
  /** Goes on with a turn. @returns its new token, and whether somebody rang; `null` if somebody else has it */
  renewTurn(
    token: number,
    leaseMs: number,
    now: number,
  ): Promise<{ token: number; rang: boolean } | null>
  endTurn(end: TurnEnd, now: number): Promise<void>
  /** For how long the provider wants no questions, as it told whichever node: in ms, else 0. */
  quietMs(now: number): Promise<number>
  /** Makes the next turn come at once, unless the last question was not answered. @returns whether it does */
  ring(): Promise<boolean>
  /** The same, unless somebody may have the turn: nobody has it for longer than the lease. */
  hasten(leaseMs: number, now: number): Promise<void>
  /**
   * Takes the announcement with this id down, if it stands; if it is suspended, it stays down.
   *
   * @param refused why the checkout would refuse it; `null` if it may come back
   */
  takeDown(id: string, reason: string, refused: string | null, now: number): Promise<boolean>
  /** Puts back what was suspended, as it was, if its slot is unchanged. @returns whether it did */
  bringBack(id: string, now: number): Promise<boolean>
  saveCaughtUp(caughtUp: CaughtUp, now: number): Promise<void>
  /** Of these notifications, those that were never applied. */
  unseen<T extends { id: string; type: string }>(notifications: readonly T[]): Promise<T[]>
  /** The last notification that the provider delivered; `null` if it is not known. */
  heard(): Promise<Heard | null>
  /** Why a coupon can't be redeemed, by the latest notification or answer about it; `null` if that doesn't say so. */
  lastRefusal(coupon: string): Promise<string | null>
  /** The entry of the history that undoing would undo, if there is one (contract R9). */
  undoable(entry: number | null): Promise<HistoryEntry | null>
}
