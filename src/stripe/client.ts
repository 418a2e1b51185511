import type { Stripe } from 'stripe'
import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { loadOnce } from '../core/load-once.ts'
import { codeIn, textOf } from './answer.ts'
import { Coupon, PromotionCode } from './offer.ts'
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
const PAGE = 100

/** What is needed of a listed event; the rest is read as a notification is. */
const ListedEvent = z.looseObject({
  id: z.string(),
  /** Seconds since 1970. */
  created: z.int(),
})
export type ListedEvent = z.infer<typeof ListedEvent>

const EventPage = z.object({ data: z.array(ListedEvent), has_more: z.boolean() })
const CodePage = z.object({ data: z.array(PromotionCode) })

/** What Stripe is asked. Every method rejects with {@link Unanswered}. */
export interface Questions {
  /** The coupon, or `null` if the key's account and mode have none with this id. */
  coupon(id: string): Promise<Coupon | null>
  /** The promotion codes that customers type so, the newest first. Most are no longer active. */
  codes(code: string): Promise<PromotionCode[]>
  /** Whether an event belongs to the key's account and mode, and is not older than 30 days. */
  knowsEvent(id: string): Promise<boolean>
  /**
   * The notifications about coupons since then, the newest first.
   *
   * @param since seconds since 1970
   * @param after the last one of the page before
   */
  events(since: number, after?: string, limit?: number): Promise<z.infer<typeof EventPage>>
}

/** For how long Stripe wants no questions, which all nodes remember together. */
export interface Quiet {
  /** Asked before each question. If it rejects, the question isn't sent. */
  leftMs(): Promise<number>
  keep(ms: number): Promise<void>
}

export interface StripeClient {
  /** @param patienceMs how long an answer may take */
  questions(quiet: Quiet, patienceMs?: number): Questions
  /** Tells keys apart. The key can't be found from it. */
  mark(): Promise<string>
  /** Whether the key is of the live mode; `undefined` if it doesn't say. */
  readonly live: boolean | undefined
  /** When the last answer was given, by the clock of Stripe: seconds since 1970. */
  answeredAt(): number | undefined
  /** How many requests there were, by what became of them. */
  readonly asked: ReadonlyMap<AskResult, number>
  /** Ends what is being asked. */
  close(): void
}

/**
 * Asks Stripe through its own package, which is loaded with the first question: it takes longer to load than all else.
 *
 * The package repeats no request here. Questions are repeated later, and then by one node only. It gets no telemetry.
 */
export function stripeClient(
  { apiKey, apiUrl = 'https://api.stripe.com' }: { apiKey: string; apiUrl?: string | undefined },
  clock: Pick<Clock, 'now'>,
): StripeClient {
  // All are there from the start, because Prometheus sees no increase in a series that begins with 1.
  const asked = new Map<AskResult, number>(ASK_RESULTS.map((result) => [result, 0]))
  const closed = new AbortController()
  /** The time of the last answer, by Stripe. */
  let date: string | null = null

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

  /** @returns `null` for what is not there, which is an answer */
  async function ask<T>(
    right: Right,
    quiet: Quiet,
    question: (stripe: Stripe) => Promise<T>,
  ): Promise<T | null> {
    const waitMs = await quiet.leftMs()
    if (waitMs > 0) {
      throw new Unanswered('limited', 'Stripe asked us to wait', { waitMs, sent: false })
    }
    const count = (result: AskResult) => asked.set(result, (asked.get(result) ?? 0) + 1)
    try {
      const answer = await question(await load())
      count('answered')
      return answer
    } catch (error) {
      const unanswered = reasonOf(error, right, clock.now())
      count(unanswered?.result ?? 'answered')
      if (unanswered && unanswered.waitMs > 0) await quiet.keep(unanswered.waitMs)
      if (unanswered) throw unanswered
      if (isMissing(error)) return null
      throw error
    }
  }

  const mode = /^[a-z]+_(live|test)_/.exec(apiKey)?.[1]

  return {
    asked,
    live: mode === undefined ? undefined : mode === 'live',
    answeredAt() {
      const at = Date.parse(date ?? '') / 1000
      return Number.isNaN(at) ? undefined : at
    },
    async mark() {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(apiKey))
      return Array.from(new Uint8Array(digest, 0, 8), (it) => it.toString(16)).join('.')
    },
    questions: (quiet, timeout = PATIENCE_MS) => ({
      async coupon(id) {
        const found = await ask('coupons', quiet, (it) => it.coupons.retrieve(id, {}, { timeout }))
        if (found === null) return null
        const coupon = Coupon.safeParse(found).data
        if (coupon?.id !== id) throw notWhatWasAsked('coupon')
        return coupon
      },
      async codes(code) {
        const list = await ask('promotion codes', quiet, (it) =>
          it.promotionCodes.list({ code, limit: PAGE }, { timeout }),
        )
        const { data } = CodePage.safeParse(list)
        if (!data) throw notWhatWasAsked('list of promotion codes')
        return data.data
      },
      async knowsEvent(id) {
        const found = await ask('events', quiet, (it) => it.events.retrieve(id, {}, { timeout }))
        if (found !== null && found.id !== id) throw notWhatWasAsked('event')
        return found !== null
      },
      async events(since, after, limit = PAGE) {
        const parameters = { types: EVENT_TYPES, created: { gte: since }, limit }
        const from = after === undefined ? {} : { starting_after: after }
        const list = await ask('events', quiet, (it) =>
          it.events.list({ ...parameters, ...from }, { timeout }),
        )
        const { data } = EventPage.safeParse(list)
        if (!data) throw notWhatWasAsked('list of events')
        return data
      },
    }),
    close: () => closed.abort(),
  }
}

/** What answers may be something else than Stripe: a proxy, or the page of a network that wants to be signed in to. */
function notWhatWasAsked(what: string): Unanswered {
  const message = `Stripe sent something that is not the ${what} that was asked for`
  return new Unanswered('failed', message)
}
