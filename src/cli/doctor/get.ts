/** Proxies and caches answer browsers, and the service doesn't take it for a visitor. */
export const AS_DOCTOR = { 'User-Agent': 'Mozilla/5.0 (compatible; placard-doctor)' }
/** More than any page has that is worth looking at. */
const MAX_LENGTH = 4 * 1024 * 1024

/** How much of a time is left before the end of the run. */
export type Left = (ms: number) => number

export interface Answer {
  status: number
  headers: Headers
  body: string
  /** Where it came from, after redirects. */
  url: string
  /** Whether the body is all of it. */
  whole: boolean
  /** How long it stayed open, in words, if it ended although it was to be held: `0.3 s`. */
  endedAfter?: string
}

/** Nothing came. */
export interface Silence {
  /** Why, in words; without what was sent. */
  silent: string
  /** The system's code for it, if there is one. */
  code: string
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/**
 * Asks as a browser would. What has come in time counts.
 *
 * @param until what has come is enough once this is true of it; for answers that don't end
 * @param holdMs for so long, such an answer is kept open then, to see whether it stays
 */
export async function get(
  url: string,
  ms: number,
  headers: Record<string, string> = {},
  until: (body: string) => boolean = () => false,
  holdMs = 0,
): Promise<Answer | Silence> {
  const began = performance.now()
  const late = AbortSignal.timeout(ms)
  const over = new AbortController()
  let answer: Answer | undefined
  let held: NodeJS.Timeout | undefined
  try {
    const response = await fetch(url, {
      headers: { ...AS_DOCTOR, ...headers },
      // A redirect would take the secret elsewhere.
      redirect: 'Authorization' in headers ? 'manual' : 'follow',
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

/** What OpenSSL says of bytes that are none of its own. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/

function why(error: unknown): Silence {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message } = cause as { code?: unknown; message?: string }
  const name = String(code)
  if (NO_TLS.test(name)) return { silent: 'what answers there does not speak HTTPS', code: name }
  // Else its message is a line of numbers and of places in its source.
  const said = name.startsWith('ERR_SSL_') ? `HTTPS fails with ${name}` : message || name
  return { silent: said, code: name }
}

/** The fields of a JSON object. Anything else has none. */
export function fieldsIn(answer: Answer | Silence): Record<string, unknown> {
  try {
    const value: unknown = 'silent' in answer ? null : JSON.parse(answer.body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
