/** Proxies and caches answer browsers, and the service doesn't take it for a visitor. */
export const AS_DOCTOR = { 'User-Agent': 'Mozilla/5.0 (compatible; placard-doctor)' }
/** More than any page or sheet has that is worth looking at. */
const MAX_BYTES = 4 * 1024 * 1024

/** How much of a time is left before the end of the run. */
export type Left = (ms: number) => number

export interface Answer {
  status: number
  headers: Headers
  body: string
  /** Where it came from, after redirects. */
  url: string
}

/** Nothing came, or only a part. */
export interface Silence {
  /** Why, in words; without what was sent. */
  silent: string
  /** The system's code for it, if there is one. */
  code: string
}

/**
 * Asks as a browser would.
 *
 * @param until what has come is enough once this is true of it; for answers that don't end
 */
export async function get(
  url: string,
  ms: number,
  headers: Record<string, string> = {},
  until: (body: string) => boolean = () => false,
): Promise<Answer | Silence> {
  const signal = AbortSignal.timeout(ms)
  const over = new AbortController()
  try {
    const response = await fetch(url, {
      headers: { ...AS_DOCTOR, ...headers },
      // A redirect would take the secret elsewhere.
      redirect: 'Authorization' in headers ? 'manual' : 'follow',
      signal: AbortSignal.any([signal, over.signal]),
    })
    const decoder = new TextDecoder()
    let body = ''
    for await (const chunk of response.body ?? []) {
      body += decoder.decode(chunk, { stream: true })
      if (body.length > MAX_BYTES || until(body)) break
    }
    return { status: response.status, headers: response.headers, body, url: response.url }
  } catch (error) {
    if (!signal.aborted) return why(error)
    return { silent: `no answer in ${(ms / 1000).toFixed(1)} s`, code: 'TIMEOUT' }
  } finally {
    over.abort()
  }
}

/** What OpenSSL says of bytes that are none of its own. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/

function why(error: unknown): Silence {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message } = cause as { code?: unknown; message?: string }
  const [said, name] = [message || String(code), String(code)]
  if (NO_TLS.test(name)) return { silent: 'what answers there does not speak HTTPS', code: name }
  // Else its message is a line of numbers and of places in its source.
  return { silent: name.startsWith('ERR_SSL_') ? `HTTPS fails with ${name}` : said, code: name }
}

/** The fields of a JSON object. Anything else has none. */
export function fieldsIn(answer: Answer | Silence): Record<string, unknown> {
  if ('silent' in answer) return {}
  try {
    const value: unknown = JSON.parse(answer.body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
