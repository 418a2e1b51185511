import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Receipt } from '../core/coupon.ts'
import { DOCTOR_AGENT } from '../core/doctor-agent.ts'
import type { Log } from '../core/log.ts'
import type { Reason } from '../core/messages.ts'
import { badRequest } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'
import { latestInstant } from '../stripe/catch-up.ts'
import type { CouponWatcher } from '../stripe/coupon-watcher.ts'
import { classifyNotification, type ParsedNotification } from '../stripe/notification.ts'
import { isSimulated } from '../stripe/notification-types.ts'
import { assertPlausible, assertSigned, signedAtOf } from '../stripe/signature.ts'
import { uncached } from './headers.ts'
import { readBytes, utf8 } from './input.ts'
import type { Routes } from './route.ts'
import type { WarnOfCoupon } from './warnings.ts'

/** The size limit of a notification. A coupon's notification is about 2 KiB long. */
export const MAX_NOTIFICATION_BYTES = 256 * 1024

export const WEBHOOKS_PATH = '/api/webhooks'

export const webhookRoutes: Routes = {
  [`POST ${WEBHOOKS_PATH}`]: {
    guard: 'signed',
    operationId: 'receiveNotification',
    summary: "Receive Stripe's notifications",
    body: 'Notification',
    responses: {
      200: ['The notification was applied or ignored, by this or an earlier request.', 'Receipt'],
    },
    handle: ({ request }, { webhooks }) => webhooks.receive(request),
  },
}

/** The minimum time between two identical warnings, so that nobody can fill the log by sending notifications. */
const AGAIN_MS = 60 * 60_000

/**
 * Handles `POST /api/webhooks` (spec 4.4): admits, reads, verifies and applies a notification, and responds.
 *
 * @param secrets the signing secrets. If there are none, the service rejects all notifications (contract W1)
 */
export function createWebhooks(options: {
  commands: Commands
  secrets: readonly string[]
  couponWatcher: CouponWatcher | undefined
  warn: WarnOfCoupon
  clock: Clock
  log: Log
}) {
  const { commands, secrets, couponWatcher, warn, clock, log } = options
  let mismatches = 0
  let connected = 0
  /** When each warning may be logged again, by the monotonic clock. */
  const sayFrom = new Map<string, number>()

  /** @throws Problem `invalid_signature`, `body_too_large`, `unavailable` */
  async function verified(request: Request): Promise<string> {
    const signature = request.headers.get('stripe-signature')
    if (secrets.length === 0) {
      if (signature !== null) mismatches++
      throw Problem.unavailable('Notifications are off: set STRIPE_WEBHOOK_SECRET')
    }
    assertPlausible(signature, clock.now())
    const payload = decode(await readBytes(request, MAX_NOTIFICATION_BYTES))
    await assertSigned(payload, signature, secrets, clock.now()).catch((error) => {
      // The doctor itself reports how its own notification was rejected.
      const isDoctor = request.headers.get('user-agent')?.includes(DOCTOR_AGENT)
      if (error instanceof Problem && !isDoctor) noteMismatch()
      throw error
    })
    return payload
  }

  /** Counts a recent signature that matches none of our secrets: a stranger made it, or Stripe uses another secret. */
  function noteMismatch() {
    mismatches++
    warnHourly(
      "rejected a notification whose signature doesn't match STRIPE_WEBHOOK_SECRET: if Stripe's dashboard shows" +
        " deliveries that failed with 400, set the variable to their destination's signing secret",
    )
  }

  function warnHourly(warning: string) {
    if (clock.monotonic() < (sayFrom.get(warning) ?? Number.NEGATIVE_INFINITY)) return
    sayFrom.set(warning, clock.monotonic() + AGAIN_MS)
    log.warn({}, warning)
  }

  async function receive(request: Request): Promise<Response> {
    const payload = await verified(request)
    const verdict = classifyNotification(
      parse(payload),
      clock.now(),
      couponWatcher ? 'created' : 'now',
    )
    const id = 'ignored' in verdict ? verdict.id : verdict.notification.id
    // A notification from our own commands doesn't prove that Stripe signs with our secret.
    if (!isSimulated(id)) mismatches = 0
    if ('ignored' in verdict) {
      if (verdict.ignored === 'connected_account') {
        connected++
        warnHourly(CONNECTED)
      }
      warnIgnored(id, verdict.ignored)
      const isTrigger = couponWatcher && verdict.triggers
      if (isTrigger) await couponWatcher.trigger()
      return received({ outcome: 'ignored', reason: isTrigger ? 'trigger' : verdict.ignored })
    }
    const { coupon, effect } = verdict.notification
    if (effect.kind === 'none') warnIgnored(id, effect.reason)
    const parsed = delivered(verdict, request)
    const judged = couponWatcher ? await couponWatcher.judge(parsed) : parsed
    try {
      const receipt = await commands.applyNotification(judged.notification)
      if (receipt.outcome === 'published') await warn(judged)
      if (receipt.outcome === 'ignored') await couponWatcher?.hadNoEffect(coupon)
      return received(receipt)
    } catch (error) {
      couponWatcher?.mayHaveMissed()
      throw error
    }
  }

  /** Adds the event's time by our clock, and marks Stripe's own deliveries, which identify the sending account (T4). */
  function delivered(parsed: ParsedNotification, { headers }: Request): ParsedNotification {
    const { notification } = parsed
    const { id, created } = notification
    const now = clock.now()
    // The time of the signature and `created` both come from Stripe's clock, so their difference is the event's age.
    const age = signedAtOf(headers.get('stripe-signature') ?? '') - (created ?? 0)
    const happenedAt = latestInstant(Math.floor(now / 1000) - age, now)
    return {
      ...parsed,
      notification: {
        ...notification,
        ...(!isSimulated(id) && { delivered: true }),
        ...(couponWatcher && created !== null && { happenedAt }),
      },
    }
  }

  function warnIgnored(notification: string | null, reason: string) {
    const warning = WARNINGS.get(reason)
    if (warning) log.warn({ notification }, warning)
  }

  return {
    receive,
    /** How many notifications, since Stripe's last valid one, had a wrong signature or came while no secret was set. */
    mismatches: () => mismatches,
    /** How many notifications of connected accounts this process has ignored. */
    connected: () => connected,
  }
}

const CONNECTED =
  "ignored a notification from a connected account: in Stripe's dashboard, have the destination send events from" +
  ' Your account only'

/** The log messages for ignored notifications that need a person's attention, by reason (contract W1, W4). */
const WARNINGS = new Map<string, string>([
  ['malformed', 'ignored a malformed notification'],
  ['thin_event', 'ignored a thin event: subscribe the endpoint to snapshot events'],
  ['no_displayable_text', 'ignored a featured coupon with neither a name nor a discount to show'],
] satisfies [Reason, string][])

function received(receipt: Receipt): Response {
  return uncached({ received: true, ...receipt })
}

/** Rejects a body that isn't UTF-8, because Stripe's package checks the signature over the decoded text. */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Problem('invalid_signature', 'The body is not UTF-8', { cause })
  }
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch (cause) {
    throw badRequest('not_json', undefined, cause)
  }
}
