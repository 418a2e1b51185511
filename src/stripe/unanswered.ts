import type { Limit } from '../core/coupon.ts'
import type { Reason } from '../core/messages.ts'

/** The results of a request to Stripe: an answer, or one of the reasons why there was none. */
export const ASK_RESULTS = ['answered', 'denied', 'limited', 'failed'] as const

export type AskResult = (typeof ASK_RESULTS)[number]

/** A request without a usable answer. The message repeats nothing from the request, which contains the key (T6). */
export class Unanswered extends Error {
  readonly result: Exclude<AskResult, 'answered'>
  /** How long Stripe asks us to wait, in ms; 0 if it doesn't. */
  readonly waitMs: number
  readonly status: number | undefined
  /** Whether the request was sent. Nothing is sent during a wait that Stripe asked for. */
  readonly sent: boolean

  constructor(
    result: Unanswered['result'],
    message: string,
    { waitMs = 0, status, sent = true }: { waitMs?: number; status?: number; sent?: boolean } = {},
  ) {
    super(message)
    this.name = 'Unanswered'
    this.result = result
    this.waitMs = waitMs
    this.status = status
    this.sent = sent
  }

  get reason(): Reason {
    if (this.status === 401) return 'key_refused'
    return this.status === 403 ? 'right_missing' : 'no_answer'
  }
}

const FEW_LEFT_MS = 5_000
const LIMITED_MS = 30_000
const UNLIMITED_MS = 10 * 60_000
const FIRST_BACKOFF_MS = 1_000

/** How many ms to wait, after an answer, before asking about the coupon again (contract T3). */
export function nextQuestionMs(limits: readonly Limit[]): number {
  const isNearlyGone = ({ max, redeemed }: Limit) => max - redeemed <= Math.max(1, max / 10)
  if (limits.some(isNearlyGone)) return FEW_LEFT_MS
  return limits.length > 0 ? LIMITED_MS : UNLIMITED_MS
}

/**
 * How many ms to wait before asking again if there was no answer. The first wait is 1 s, or longer if Stripe asks for
 * that. Each further wait is twice as long, up to 30 s for an offer with a limit and 10 min for any other offer, but
 * never shorter than Stripe asks for.
 *
 * @param failures how many requests in a row got no answer, including the last one
 * @param waitMs how long Stripe asks us to wait
 */
export function backoffMs(failures: number, limited: boolean, waitMs: number): number {
  const most = Math.max(waitMs, limited ? LIMITED_MS : UNLIMITED_MS)
  const first = Math.max(waitMs, FIRST_BACKOFF_MS)
  return Math.min(most, first * 2 ** Math.min(failures - 1, 20))
}
