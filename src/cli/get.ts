/** Makes proxies and caches treat the doctor as a browser, and keeps the service from counting it as a visitor. */
export const AS_DOCTOR = { 'User-Agent': 'Mozilla/5.0 (compatible; placard-doctor)' }
/** Reading stops at this length, in UTF-16 units. No page worth checking is longer. */
const MAX_LENGTH = 4 * 1024 * 1024

/** Returns the time left before the end of the run, or `ms` if that is less. */
export type Left = (ms: number) => number

export interface Answer {
  status: number
  headers: Headers
  body: string
  /** The address after redirects. */
  url: string
  /** Whether the body is complete. */
  whole: boolean
  /** If the server ended the response before `holdMs` had passed: how long after the request, such as `0.3 s`. */
  endedAfter?: string
}

/** The result of a request that got no response. */
export interface Silence {
  /** The reason, without anything from the request. */
  silent: string
  code: string
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/**
 * Sends a request as a browser would. If the body is incomplete after `ms`, the part that has arrived counts.
 *
 * @param init `until` is for responses that don't end: once it has returned true for the body, reading goes on for
 *   `holdMs`, to see whether the server closes the response, and then stops
 */
export async function get(
  url: string,
  ms: number,
  {
    until = () => false,
    holdMs = 0,
    headers,
    ...init
  }: RequestInit & { until?: (body: string) => boolean; holdMs?: number } = {},
): Promise<Answer | Silence> {
  const began = performance.now()
  const late = AbortSignal.timeout(ms)
  const over = new AbortController()
  let answer: Answer | undefined
  let held: NodeJS.Timeout | undefined
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...AS_DOCTOR, ...headers },
      signal: AbortSignal.any([late, over.signal]),
    })
    const { status } = response
    answer = { status, headers: response.headers, body: '', url: response.url, whole: false }
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      answer.body += decoder.decode(chunk, { stream: true })
      const isEnough = until(answer.body)
      if (answer.body.length > MAX_LENGTH || (isEnough && holdMs === 0)) break
      if (isEnough) held ??= setTimeout(() => over.abort(), holdMs)
    }
    answer.whole = answer.body.length <= MAX_LENGTH
  } catch (error) {
    if (!answer?.body) return late.aborted ? timeout(ms) : why(error)
  }
  clearTimeout(held)
  if (held && !over.signal.aborted && !late.aborted) {
    answer.endedAfter = inSeconds(performance.now() - began)
  }
  over.abort()
  return answer
}

const timeout = (ms: number) => ({ silent: `no answer in ${inSeconds(ms)}`, code: 'TIMEOUT' })

/** OpenSSL's codes for bytes that aren't TLS. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/

/** Explains, from the error of `fetch`, why there was no response. */
export function why(error: unknown): Silence {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message } = cause as { code?: unknown; message?: string }
  const name = String(code)
  if (NO_TLS.test(name)) return { silent: 'the server there does not speak HTTPS', code: name }
  // OpenSSL's message would be a line of numbers and source positions.
  const said = name.startsWith('ERR_SSL_') ? `HTTPS fails with ${name}` : message || name
  return { silent: said, code: name }
}

/** The fields of the JSON object in a body; none if the body is anything else. */
export function fieldsIn(answer: Answer | Silence): Record<string, unknown> {
  try {
    const value: unknown = 'silent' in answer ? null : JSON.parse(answer.body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
