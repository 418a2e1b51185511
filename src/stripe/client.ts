import type { Stripe } from 'stripe'
import { z } from 'zod'
import { loadOnce } from '../core/load-once.ts'
import { codeIn, textOf } from './answer.ts'
import { Coupon } from './offer.ts'
import {
  ASK_RESULTS,
  type AskResult,
  isMissing,
  type Right,
  reasonOf,
  Unanswered,
} from './unanswered.ts'

/** How long Stripe may take for an answer that nobody waits for. */
export const PATIENCE_MS = 4_000
const EVENT_TYPES = ['coupon.created', 'coupon.updated', 'coupon.deleted']
/** It isn't there. To learn that takes the right to read coupons. */
export const NO_COUPON = 'placard-doctor'
const PAGE = 100

/** What is needed of a listed event; the rest is read as a notification is. */
const ListedEvent = z.looseObject({
  id: z.string(),
  /** Seconds since 1970. */
  created: z.int(),
  livemode: z.boolean().nullish().catch(null),
})
export type ListedEvent = z.infer<typeof ListedEvent>

const EventPage = z.object({ data: z.array(ListedEvent), has_more: z.boolean() })
type EventPage = z.infer<typeof EventPage>

/** What became of a question, and why there was no answer. */
export interface Asked {
  result: AskResult
  reason?: string
  /** 401: the key is refused. 403: it lacks this right. */
  status?: number | undefined
}

export interface Rights {
  coupons: Asked
  events: Asked
  /** By the clock of Stripe: milliseconds since 1970, in whole seconds. */
  now: number | undefined
}

/** What Stripe is asked. Every method rejects with {@link Unanswered}. */
export interface StripeClient {
  /** The coupon, or `null` if the key's account and mode have none with this id. */
  coupon(id: string, patienceMs?: number): Promise<Coupon | null>
  /** Whether an event belongs to the key's account and mode, and is not older than 30 days. */
  knowsEvent(id: string, patienceMs?: number): Promise<boolean>
  /**
   * The notifications about coupons since then, 100 at a time, the newest first.
   *
   * @param since seconds since 1970
   * @param after the last one of the page before
   */
  events(since: number, after?: string): Promise<EventPage>
  /** What the key may do: the answers to two questions that change nothing, and Stripe's time. It doesn't reject. */
  rights(patienceMs: number): Promise<Rights>
  /** Tells keys apart. The key can't be found from it. */
  mark(): Promise<string>
  /** When the last answer was given, by the clock of Stripe: seconds since 1970. */
  answeredAt(): number | undefined
  /** For how long Stripe wants no requests, in ms. Until then none is sent. */
  quietMs(): number
  /** Sends none for at least so many ms, because Stripe has told another process so. */
  keepQuiet(ms: number): void
  /** How many requests there were, by what became of them. */
  readonly asked: ReadonlyMap<AskResult, number>
  /** Ends what is being asked. */
  close(): void
}

/**
 * Asks Stripe through its own package, which is loaded with the first question: it takes longer to load than all else.
 *
 * The package repeats no request here. Questions are repeated later, and then by one node only. It gets no telemetry.
 *
 * @param monotonic milliseconds since some fixed point
 */
export function stripeClient(
  { apiKey, apiUrl = 'https://api.stripe.com' }: { apiKey: string; apiUrl?: string | undefined },
  monotonic: () => number,
): StripeClient {
  // All are there from the start, because Prometheus sees no increase in a series that begins with 1.
  const asked = new Map<AskResult, number>(ASK_RESULTS.map((result) => [result, 0]))
  const closed = new AbortController()
  /** The time of the last answer, by Stripe. */
  let date: string | null = null
  /** Until then Stripe wants no requests. */
  let quietUntil = Number.NEGATIVE_INFINITY

  const load = loadOnce(async (): Promise<Stripe> => {
    const { default: Package } = await import('stripe')
    const { protocol, hostname, port } = new URL(apiUrl)
    const scheme = protocol === 'http:' ? 'http' : 'https'
    // A redirect would take the key elsewhere.
    const fetchHere: typeof fetch = async (input, init) => {
      const signals = [closed.signal, ...(init?.signal ? [init.signal] : [])]
      const signal = AbortSignal.any(signals)
      const answer = await fetch(input, { ...init, redirect: 'error', signal })
      date = answer.headers.get('date')
      const body = await textOf(answer)
      // The package takes a refusal for an answer if its body is not as Stripe's.
      if (!answer.ok) return Response.json({ error: { code: codeIn(body) } }, answer)
      // The package fails where nobody can catch it if JSON is no object, and that would end the process.
      if (!/^\s*[{[]/.test(body)) throw new Error('the answer is no JSON object')
      return new Response(body, answer)
    }
    return new Package(apiKey, {
      protocol: scheme,
      host: hostname,
      port: port || (scheme === 'http' ? 80 : 443),
      httpClient: Package.createFetchHttpClient(fetchHere),
      maxNetworkRetries: 0,
      timeout: PATIENCE_MS,
      telemetry: false,
    })
  })

  const quietMs = () => Math.max(0, quietUntil - monotonic())

  function keepQuiet(ms: number) {
    quietUntil = Math.max(quietUntil, monotonic() + ms)
  }

  async function ask<T>(right: Right, question: (stripe: Stripe) => Promise<T>): Promise<T> {
    const waitMs = quietMs()
    if (waitMs > 0) {
      throw new Unanswered('limited', 'Stripe asked us to wait', { waitMs, sent: false })
    }
    const count = (result: AskResult) => asked.set(result, (asked.get(result) ?? 0) + 1)
    try {
      const answer = await question(await load())
      count('answered')
      return answer
    } catch (error) {
      const unanswered = reasonOf(error, right)
      count(unanswered?.result ?? 'answered')
      if (!unanswered) throw error
      keepQuiet(unanswered.waitMs)
      throw unanswered
    }
  }

  /** What is not there is an answer. */
  async function orNull<T>(answer: Promise<T>): Promise<T | null> {
    try {
      return await answer
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  function answeredAt(): number | undefined {
    const at = Date.parse(date ?? '') / 1000
    return Number.isNaN(at) ? undefined : at
  }

  return {
    asked,
    answeredAt,
    quietMs,
    keepQuiet,
    async mark() {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(apiKey))
      return Array.from(new Uint8Array(digest, 0, 8), (it) => it.toString(16)).join('.')
    },
    async coupon(id, timeout = PATIENCE_MS) {
      const found = await orNull(ask('coupons', (s) => s.coupons.retrieve(id, {}, { timeout })))
      if (found === null) return null
      const coupon = Coupon.safeParse(found).data
      if (coupon?.id !== id) throw notWhatWasAsked('coupon')
      return coupon
    },
    async knowsEvent(id, timeout = PATIENCE_MS) {
      const found = await orNull(ask('events', (s) => s.events.retrieve(id, {}, { timeout })))
      if (found !== null && found.id !== id) throw notWhatWasAsked('event')
      return found !== null
    },
    async rights(timeout) {
      date = null
      const [coupons, events] = await Promise.all([
        outcomeOf(orNull(ask('coupons', (s) => s.coupons.retrieve(NO_COUPON, {}, { timeout })))),
        outcomeOf(
          ask('events', (s) => s.events.list({ types: EVENT_TYPES, limit: 1 }, { timeout })),
        ),
      ])
      const now = answeredAt()
      return { coupons, events, now: now && now * 1000 }
    },
    async events(since, after) {
      const answer = await orNull(
        ask('events', (stripe) =>
          stripe.events.list({
            types: EVENT_TYPES,
            created: { gte: since },
            limit: PAGE,
            ...(after !== undefined && { starting_after: after }),
          }),
        ),
      )
      const parsed = EventPage.safeParse(answer)
      if (!parsed.success) throw notWhatWasAsked('list of events')
      return parsed.data
    },
    close: () => closed.abort(),
  }
}

/** What answers may be something else than Stripe: a proxy, or the page of a network that wants to be signed in to. */
function notWhatWasAsked(what: string): Unanswered {
  return new Unanswered(
    'failed',
    `Stripe sent something that is not the ${what} that was asked for`,
  )
}

async function outcomeOf(answer: Promise<unknown>): Promise<Asked> {
  try {
    await answer
    return { result: 'answered' }
  } catch (error) {
    if (error instanceof Unanswered) {
      const { result, message: reason, status } = error
      return { result, reason, status }
    }
    return { result: 'failed', reason: 'Stripe sent an answer of no known kind' }
  }
}
