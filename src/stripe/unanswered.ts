import type { Reason } from '../core/messages.ts'

/** The longest that Stripe may ask us to wait. No service that means it asks for more than a day. */
const MAX_WAIT_MS = 24 * 3_600_000

/** What a question takes the right to read. */
export type Right = 'coupons' | 'events' | 'promotion codes'

/** What became of a request: answered, or why it was not. */
export const ASK_RESULTS = ['answered', 'denied', 'limited', 'failed'] as const

export type AskResult = (typeof ASK_RESULTS)[number]

/** Stripe gave no answer that is one. It says why in words that hold nothing of the request, as that has the key (T6). */
export class Unanswered extends Error {
  readonly result: Exclude<AskResult, 'answered'>
  /** How long Stripe asks us to wait, in ms; else 0. */
  readonly waitMs: number
  /** Of the answer, if there was one. */
  readonly status: number | undefined
  /** Whether it was asked. While Stripe wants no requests, nothing is sent. */
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

  /** The same for the history. */
  get reason(): Reason {
    if (this.status === 401) return 'key_refused'
    return this.status === 403 ? 'right_missing' : 'no_answer'
  }
}

/** Whether Stripe says that something isn't there. Whatever else is answered 404 in its place does not say so. */
export function isMissing(error: unknown): boolean {
  return (
    statusOf(error) === 404 &&
    error instanceof Error &&
    'code' in error &&
    error.code === 'resource_missing'
  )
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
}

/**
 * Why an error is no answer; `undefined` for an answer that something isn't there.
 *
 * @param now milliseconds since 1970
 */
export function reasonOf(error: unknown, right: Right, now: number): Unanswered | undefined {
  const status = statusOf(error)
  if (isMissing(error)) return undefined
  if (status === 401) {
    const message = 'Stripe refuses the key (401): it is wrong, or was revoked'
    return new Unanswered('denied', message, { status })
  }
  if (status === 403) {
    const message = `the key may not read ${right} (403): let it, in the dashboard under API keys`
    return new Unanswered('denied', message, { status })
  }
  const waitMs = waitIn(headersOf(error), now)
  if (status === 429) {
    return new Unanswered('limited', 'Stripe has too many requests (429)', { waitMs })
  }
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  const what = status === undefined ? String(type ?? 'no answer') : `status ${status}`
  return new Unanswered('failed', `Stripe can not be asked (${what})`, { waitMs })
}

/** How long `Retry-After` asks us to wait, in ms: in seconds, or until a date by the clock of whoever answers. */
function waitIn(headers: Record<string, unknown>, now: number): number {
  const wish = String(headers['retry-after'] ?? '')
  const theirNow = Date.parse(String(headers.date ?? '')) || now
  const ms = /^\s*[\d.]+\s*$/.test(wish) ? Number(wish) * 1000 : Date.parse(wish) - theirNow
  return ms > 0 ? Math.min(ms, MAX_WAIT_MS) : 0
}

function headersOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error && 'headers' in error)) return {}
  return (error.headers ?? {}) as Record<string, unknown>
}
