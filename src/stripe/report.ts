import { describeError, type Log } from '../core/log.ts'
import { type AskResult, StripeRequestError } from './client.ts'

export interface OfferCounts {
  /** The number of requests to Stripe, by result. */
  asked: ReadonlyMap<AskResult, number>
  /** How many offers were taken down or not published because the checkout would have refused them. */
  refused: number
  /** How many events could not be read, judged or stored while catching up. Each counts once. */
  passedOver: number
  /** When Stripe last answered, by the monotonic clock; `undefined` if it never did. */
  answeredAt: number | undefined
}

/** The log messages about unanswered requests, by the kind of request. */
const UNKNOWN = {
  coupons:
    'no answer from Stripe: the checkout may refuse the announced coupon; check STRIPE_API_KEY',
  codes: 'no answer about a promotion code: only its coupon is judged; check STRIPE_API_KEY',
  events: 'no answer from Stripe: the service may have missed notifications; check STRIPE_API_KEY',
}
type Kind = keyof typeof UNKNOWN

/** Warnings about a Stripe key for the wrong account or mode, and about notifications that weren't read. */
const WARNINGS = {
  foreign: 'STRIPE_API_KEY belongs to a different account than a coupon: the coupon is not checked',
  mode: "STRIPE_API_KEY and a notification differ in mode: the notification's coupon is judged as if there were no key",
  elsewhere:
    'STRIPE_API_KEY is for a different account or mode than the webhooks: the service does not apply missed' +
    ' notifications. Set it to a key of the account and mode that sends them. If you have just changed both, the next' +
    ' coupon notification clears this up',
  unread:
    'read only the newest missed notifications; to announce an older coupon, save it in Stripe again',
}

const PASSED_OVER =
  "passed over one of Stripe's events, which can't be read or stored: to announce its coupon, save it in Stripe again"

/** How long until a cause that persists is logged again. */
const AGAIN_MS = 60 * 60_000

export type Report = ReturnType<typeof createReport>

/** Logs and counts the results of requests to Stripe. */
export function createReport(log: Log, asked: OfferCounts['asked'], monotonic: () => number) {
  const counts: OfferCounts = { asked, refused: 0, passedOver: 0, answeredAt: undefined }
  /** When each cause was last logged, by kind and cause. */
  const said = new Map<string, number>()
  /** The ids of the events that were passed over. */
  const passedOver = new Set<string | null | undefined>()
  let ended = false

  /** Whether to log a cause: yes the first time, and again after `againMs` or once Stripe has answered. */
  function isNew(kind: string, cause: string, againMs = AGAIN_MS): boolean {
    const key = `${kind} ${cause}`
    if (ended || monotonic() - (said.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return false
    said.set(key, monotonic())
    return true
  }

  return {
    counts,
    answered(kind: Kind) {
      counts.answeredAt = monotonic()
      const known = [...said.keys()].filter((key) => key.startsWith(`${kind} `))
      for (const key of known) said.delete(key)
      if (known.length > 0) log.info({}, 'Stripe answers again')
    },
    unanswered(kind: Kind, error: unknown) {
      // The response in which Stripe asked us to wait was already logged.
      if (error instanceof StripeRequestError && !error.sent) return
      const reason = error instanceof Error ? error.message : String(error)
      if (isNew(kind, reason)) log.warn({ reason }, UNKNOWN[kind])
    },
    /** Logs each warning only once. */
    warnOnce(what: keyof typeof WARNINGS, fields: object = {}) {
      if (isNew(what, '', Number.POSITIVE_INFINITY)) log.warn(fields, WARNINGS[what])
    },
    failed(error: unknown) {
      const cause = describeError(error)
      if (isNew('failed', JSON.stringify(cause)))
        log.error({ error: cause }, 'could not ask Stripe')
    },
    /** Logs and counts, only once, an event that took no effect because of its own fault (contract T4). */
    passedOver({ id, type }: { id?: string | null; type?: unknown }, error?: unknown) {
      if (ended || passedOver.has(id)) return
      passedOver.add(id)
      counts.passedOver++
      const cause = error === undefined ? {} : { error: describeError(error) }
      log.warn({ notification: id, type, ...cause }, PASSED_OVER)
    },
    refused() {
      counts.refused++
    },
    /** Stops logging, so that requests aborted by a shutdown aren't reported. */
    end() {
      ended = true
    },
  }
}
