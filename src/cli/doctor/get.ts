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
  /** What of it the body is, in words, if it isn't all: `the first 4 MiB`. */
  cut?: string
  /** How long it stayed open, in words, if it ended although it was to be held: `0.3 s`. */
  endedAfter?: string
}

/** Nothing came, or only a part. */
export interface Silence {
  /** Why, in words; without what was sent. */
  silent: string
  /** The system's code for it, if there is one. */
  code: string
  /** The part that had come. */
  part?: Answer
}

/**
 * Asks as a browser would.
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
  const signal = AbortSignal.timeout(ms)
  const began = performance.now()
  const over = new AbortController()
  let answer: Answer | undefined
  let held: NodeJS.Timeout | undefined
  const ended = (it: Answer): Answer => {
    if (held === undefined || over.signal.aborted || signal.aborted) return it
    return { ...it, endedAfter: inSeconds(performance.now() - began) }
  }
  try {
    const response = await fetch(url, {
      headers: { ...AS_DOCTOR, ...headers },
      // A redirect would take the secret elsewhere.
      redirect: 'Authorization' in headers ? 'manual' : 'follow',
      signal: AbortSignal.any([signal, over.signal]),
    })
    answer = { status: response.status, headers: response.headers, body: '', url: response.url }
    let decoder: TextDecoder | undefined
    for await (const chunk of response.body ?? []) {
      decoder ??= decoderOf(response.headers.get('content-type') ?? '', chunk)
      answer.body += decoder.decode(chunk, { stream: true })
      if (answer.body.length > MAX_BYTES) answer.cut = 'the first 4 MiB'
      if (answer.cut || (holdMs === 0 && until(answer.body))) break
      if (until(answer.body)) held ??= setTimeout(() => over.abort(), holdMs)
    }
    return ended(answer)
  } catch (error) {
    if (answer && held) return ended(answer)
    const time = inSeconds(ms)
    const silence = signal.aborted
      ? { silent: `no answer in ${time}`, code: 'TIMEOUT' }
      : why(error)
    return answer?.body ? { ...silence, part: { ...answer, cut: `the first ${time}` } } : silence
  } finally {
    clearTimeout(held)
    over.abort()
  }
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** For the encoding of a page: its mark counts more than its header. */
function decoderOf(type: string, [first, second]: Uint8Array): TextDecoder {
  const marks: Record<string, string> = { '255,254': 'utf-16le', '254,255': 'utf-16be' }
  const named = /charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1]
  try {
    return new TextDecoder(marks[`${first},${second}`] ?? named)
  } catch {
    return new TextDecoder()
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
