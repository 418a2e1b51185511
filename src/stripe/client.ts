import * as z from 'zod'
import type { Clock } from '../core/clock.ts'
import type { Reason } from '../core/messages.ts'
import { MAX_RETRY_AFTER_MS, REQUEST_TIMEOUT_MS } from './intervals.ts'
import { API_VERSION, COUPON_TYPES } from './notification-types.ts'
import { Coupon, PromotionCode } from './offer.ts'

/** The maximum size of a response, which is far more than a page of events needs. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const PAGE = 100

/** The caller parses each event separately, so that one unreadable event doesn't hide the others. */
const EventPage = z.object({ data: z.array(z.unknown()), has_more: z.boolean() })
const CodePage = z.object({ data: z.array(PromotionCode) })
const Missing = z.object({ error: z.object({ code: z.literal('resource_missing') }) })

/** The results of a request to Stripe: an answer, or one of the reasons why there was none. */
const ASK_RESULTS = ['answered', 'denied', 'limited', 'failed'] as const

export type AskResult = (typeof ASK_RESULTS)[number]

/** A request without a usable answer. The message repeats nothing from the request, which contains the key (T6). */
export class StripeRequestError extends Error {
  readonly result: Exclude<AskResult, 'answered'>
  /** How long Stripe asks us to wait, in ms; 0 if it doesn't. */
  readonly waitMs: number
  readonly status: number | undefined
  /** Whether the request was sent. Nothing is sent during a wait that Stripe asked for. */
  readonly sent: boolean

  constructor(
    result: StripeRequestError['result'],
    message: string,
    { waitMs = 0, status, sent = true }: { waitMs?: number; status?: number; sent?: boolean } = {},
  ) {
    super(message)
    this.name = 'StripeRequestError'
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

/** The wait that Stripe asked for, which all nodes share. */
export interface RetryAfter {
  /** Returns the remaining wait, in ms. Called before each request; if it rejects, the request isn't sent. */
  leftMs(): Promise<number>
  keep(ms: number): Promise<void>
}

export type StripeClient = ReturnType<typeof stripeClient>

/** The requests to Stripe. Methods reject only with {@link StripeRequestError} or the errors of {@link RetryAfter}. */
export type StripeRequests = ReturnType<StripeClient['requests']>

/**
 * A client for Stripe's API. It never retries, because the node with the lease asks again later. Its four requests
 * don't use Stripe's package, because the package loads slowly and may mistake a proxy's answer for Stripe's.
 */
export function stripeClient(
  { apiKey, apiUrl = 'https://api.stripe.com' }: { apiKey: string; apiUrl?: string | undefined },
  clock: Pick<Clock, 'now'>,
) {
  // All counters exist from the start, because Prometheus sees no increase in a series that begins at 1.
  const asked = new Map<AskResult, number>(ASK_RESULTS.map((result) => [result, 0]))
  const closed = new AbortController()
  const headers = { Authorization: `Bearer ${apiKey}`, 'Stripe-Version': API_VERSION }
  const mode = /^[a-z]+_(live|test)_/.exec(apiKey)?.[1]
  let answeredAt = Number.NaN

  /** @returns `null` if Stripe reports that the object doesn't exist */
  async function ask<T>(
    kind: string,
    path: string,
    as: z.ZodType<T>,
    timeoutMs: number,
  ): Promise<T | null> {
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(timeoutMs)])
    // Don't follow redirects, which could send the key to another server.
    const init: RequestInit = { headers, signal, redirect: 'error' }
    let answer: Response
    let body: unknown
    try {
      answer = await fetch(new URL(`/v1/${path}`, apiUrl), init)
      body = await jsonOf(answer)
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      const why = cause?.code ?? name
      throw new StripeRequestError('failed', `Stripe can't be reached (${why})`)
    }
    const theirNow = Date.parse(answer.headers.get('date') ?? '') || clock.now()
    answeredAt = Math.floor(theirNow / 1000)
    const { status } = answer
    if (answer.ok) {
      const { data } = as.safeParse(body)
      if (data !== undefined) return data
      // A proxy or a network's sign-in page may have answered instead of Stripe.
      throw new StripeRequestError(
        'failed',
        `Stripe sent something other than the requested ${kind}`,
      )
    }
    // Only Stripe's own 404 proves that the object doesn't exist.
    if (status === 404 && Missing.safeParse(body).success) return null
    const why = {
      401: 'Stripe rejects the key (401): it is wrong or has been revoked',
      403: `the key lacks permission to read ${kind}s (403): grant it in Stripe's dashboard, under API keys`,
      429: 'Stripe is receiving too many requests (429)',
    }[status]
    const result = status === 429 ? 'limited' : why ? 'denied' : 'failed'
    const waitMs = result === 'denied' ? 0 : waitIn(answer.headers, theirNow)
    const message = why ?? `Stripe responded with status ${status}`
    throw new StripeRequestError(result, message, { status, waitMs })
  }

  return {
    /** The number of requests, by result. */
    asked: asked as ReadonlyMap<AskResult, number>,
    /** Whether the key is for live mode; `undefined` if its prefix doesn't show the mode. */
    live: mode === undefined ? undefined : mode === 'live',
    /** When Stripe last answered, by its `Date` header, else our clock: seconds since 1970; `NaN` if it never did. */
    answeredAt: () => answeredAt,
    /** Identifies the key without revealing it. */
    async mark() {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(apiKey))
      return Array.from(new Uint8Array(digest, 0, 8), (it) => it.toString(16)).join('.')
    },
    /** @param retryAfter shared by all nodes, so that none sends a request during a wait that Stripe asked for */
    requests(retryAfter: RetryAfter, timeoutMs = REQUEST_TIMEOUT_MS) {
      async function request<T>(kind: string, path: string, as: z.ZodType<T>): Promise<T | null> {
        const waitMs = await retryAfter.leftMs()
        if (waitMs > 0) {
          throw new StripeRequestError('limited', 'Stripe asked us to wait', {
            waitMs,
            sent: false,
          })
        }
        const count = (result: AskResult) => asked.set(result, (asked.get(result) ?? 0) + 1)
        try {
          const answer = await ask(kind, path, as, timeoutMs)
          count('answered')
          return answer
        } catch (error) {
          if (!(error instanceof StripeRequestError)) throw error
          count(error.result)
          if (error.waitMs > 0) await retryAfter.keep(error.waitMs)
          throw error
        }
      }

      /** A list always exists, so a 404 is a failure. */
      async function list<T>(kind: string, path: string, query: object, as: z.ZodType<T>) {
        const found = await request(kind, `${path}?${new URLSearchParams({ ...query })}`, as)
        if (found === null) throw new StripeRequestError('failed', `Stripe has no list of ${kind}s`)
        return found
      }

      return {
        /** The coupon, or `null` if the key's account and mode have no coupon with this id. */
        coupon(id: string) {
          const as = Coupon.refine((coupon) => coupon.id === id)
          return request('coupon', `coupons/${encodeURIComponent(id)}`, as)
        },
        /** The promotion codes that customers type as `code`, newest first, including inactive ones. */
        codes: async (code: string) =>
          (await list('promotion code', 'promotion_codes', { code, limit: PAGE }, CodePage)).data,
        /** Whether an event belongs to the key's account and mode, and is not older than 30 days. */
        async knowsEvent(id: string) {
          const as = z.object({ id: z.literal(id) })
          return (await request('event', `events/${encodeURIComponent(id)}`, as)) !== null
        },
        /**
         * A page of the coupon events that Stripe created at or after `since`, newest first.
         *
         * @param since seconds since 1970
         * @param after the id of the last event of the previous page
         */
        events(since: number, after?: string, limit = PAGE) {
          const types = Object.fromEntries(COUPON_TYPES.map((type, i) => [`types[${i}]`, type]))
          const from = after === undefined ? {} : { starting_after: after }
          const query = { ...types, 'created[gte]': since, limit, ...from }
          return list('event', 'events', query, EventPage)
        },
      }
    },
    close: () => closed.abort(),
  }
}

/** Parses the body as JSON. If something other than Stripe answers, the body may be endless, or not JSON. */
async function jsonOf({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  const text = await new Blob(chunks).text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The wait in `Retry-After`, in ms; 0 without it. The header has a number of seconds or a date by Stripe's clock. */
function waitIn(headers: Headers, theirNow: number): number {
  const wish = headers.get('retry-after') ?? ''
  const ms = /^\s*[\d.]+\s*$/.test(wish) ? Number(wish) * 1000 : Date.parse(wish) - theirNow
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0
}
