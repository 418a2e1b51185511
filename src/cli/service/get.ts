import { type Fields, jsonFields } from '../../client/send.ts'
import { DOCTOR_AGENT } from '../../core/doctor-agent.ts'

/**
 * Makes proxies treat the request as a browser's. If the service rejects a notification that the doctor has signed, the
 * doctor's name in this header keeps the notification from counting as one that Stripe signed with another secret.
 */
export const AS_DOCTOR = { 'User-Agent': `Mozilla/5.0 (compatible; ${DOCTOR_AGENT})` }
/** The length of a body, in UTF-16 code units, at which reading stops. No page worth checking is longer. */
const MAX_LENGTH = 4 * 1024 * 1024

/** Returns a request's timeout: `ms`, or the time left for the doctor's run if that is less. */
export type Left = (ms: number) => number

export interface Reply {
  status: number
  headers: Headers
  body: string
  /** The final address, after redirects. */
  url: string
  /** Whether the body is complete. */
  whole: boolean
  /** How long the request took, such as `0.3 s`, if the server ended the response before `holdMs` had passed. */
  endedAfter?: string
}

/** The result of a request that got no response. */
export interface Silence {
  /** Why there was no response. */
  silent: string
  code: string
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/**
 * Sends a request as a browser would. If the body is incomplete after `ms`, returns the part that has arrived.
 *
 * @param init `until` is for endless responses: once it returns true for the body so far, `get` reads for `holdMs`
 *   more, to see whether the server closes the response
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
): Promise<Reply | Silence> {
  const began = performance.now()
  const late = AbortSignal.timeout(ms)
  const over = new AbortController()
  let answer: Reply | undefined
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

/** OpenSSL's error codes for a server that doesn't speak TLS. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/

/** Explains why there was no response, given the error from `fetch`. */
export function why(error: unknown): Silence {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message } = cause as { code?: unknown; message?: string }
  const name = String(code)
  if (NO_TLS.test(name)) return { silent: 'the server does not speak HTTPS', code: name }
  // Use OpenSSL's code, because its message is a line of numbers and source positions.
  const said = name.startsWith('ERR_SSL_') ? `HTTPS fails with ${name}` : message || name
  return { silent: said, code: name }
}

/** Error codes which mean that another program answers, or that no machine has this name. */
const NOT_OURS = /CERT|SIGN|^ERR_(SSL|TLS)_|^HPE_|^ENOTFOUND$/

/** What to do if a service doesn't answer. */
export function fixFor({ code }: Silence): string {
  return NOT_OURS.test(code)
    ? 'Give the address of the service with --url'
    : 'Start the service with npm start or placard serve (which says why if it fails), or give its address with --url'
}

/** The fields of the JSON object in a response's body; none if the body is anything else. */
export function fieldsIn(answer: Reply | Silence): Fields {
  return 'silent' in answer ? {} : jsonFields(answer.body)
}

/** Describes an unexpected response, as the predicate of a sentence whose subject is the address. */
export function sayOf(answer: Reply | Silence): string {
  if ('status' in answer) return `returned an unexpected response (${answer.status})`
  return `${answer.code === 'TIMEOUT' ? 'gave' : "can't be reached:"} ${answer.silent}`
}
