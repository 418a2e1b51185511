import { describeError, type Log } from '../core/log.ts'
import type { AskResult } from '../stripe/unanswered.ts'

export interface OfferCounts {
  /** How many requests there were to Stripe, by what became of them. */
  asked: ReadonlyMap<AskResult, number>
  /** Offers that the checkout would have refused, taken down or not put up. */
  refused: number
  /** When Stripe last answered, by the monotonic clock; `undefined` if it never did. */
  answeredAt: number | undefined
}

/** What is not known without an answer. */
const UNKNOWN = {
  coupons: 'no answer from Stripe: what the checkout would refuse is not known (STRIPE_API_KEY)',
  events: 'no answer from Stripe: notifications that were missed are not known (STRIPE_API_KEY)',
}

/** Tells the log and the counts how asking goes. The log is told once when it stops going well, and once when it does again. */
export interface Report {
  readonly counts: OfferCounts
  answered(kind: keyof typeof UNKNOWN): void
  unanswered(kind: keyof typeof UNKNOWN, error: unknown): void
  /** Whether that is said, and no answer has come since. */
  isSilent(kind: keyof typeof UNKNOWN): boolean
  /** A coupon is not there, and it can't be one of the key's account. */
  foreign(): void
  /** What was missed is of another account or mode than what Stripe delivers. */
  elsewhere(): void
  /** Older notifications than these were not read, as there are too many. @param created seconds since 1970 */
  unread(created: number): void
  failed(error: unknown): void
  refused(): void
  /** Says nothing more: what was being asked is broken off at a stop. */
  end(): void
}

export function createReport(
  log: Log,
  asked: OfferCounts['asked'],
  monotonic: () => number,
): Report {
  const counts: OfferCounts = { asked, refused: 0, answeredAt: undefined }
  const said = new Set<string>()
  let ended = false

  function once(kind: string, say: () => void) {
    if (ended || said.has(kind)) return
    said.add(kind)
    say()
  }

  return {
    counts,
    answered(kind) {
      counts.answeredAt = monotonic()
      if (said.delete(kind)) log.info({}, 'Stripe answers again')
    },
    unanswered(kind, error) {
      const reason = error instanceof Error ? error.message : String(error)
      once(kind, () => log.warn({ reason }, UNKNOWN[kind]))
    },
    isSilent: (kind) => said.has(kind),
    foreign() {
      const message = 'STRIPE_API_KEY is of another account or mode than a coupon that is announced'
      once('foreign', () => log.warn({}, message))
    },
    elsewhere() {
      const message =
        'STRIPE_API_KEY is of another account or mode than the webhooks: notifications that were missed are not caught up with.' +
        ' Set it to a key of the account and mode that sends them. If both were just changed, this ends with the next coupon'
      once('elsewhere', () => log.warn({}, message))
    },
    unread(created) {
      const since = new Date(created * 1000).toISOString()
      const message =
        'too many notifications: none of before is read; to announce a coupon, save it in Stripe again'
      once('unread', () => log.warn({ since }, message))
    },
    failed: (error) =>
      once('failed', () => log.error({ error: describeError(error) }, 'could not ask Stripe')),
    refused() {
      counts.refused++
    },
    end() {
      ended = true
    },
  }
}
