import { badRequest } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'

const MAX_JSON_BYTES = 16 * 1024
/** Strict, and keeps a byte order mark, so the text stands for exactly these bytes, or decoding throws. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Reads a request's body as a JSON object (contract A5).
 *
 * @throws Problem 415 for another type or any encoding, 413 over 16 KiB, 400 for anything but a JSON object
 */
export async function readJson(request: Request): Promise<Record<string, unknown>> {
  assertJsonType(request.headers)
  return parseJson(await readBytes(request, MAX_JSON_BYTES))
}

/** The same, if the body is optional: `undefined` without one. */
export async function readOptionalJson(
  request: Request,
): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBytes(request, MAX_JSON_BYTES)
  if (bytes.byteLength === 0) return undefined
  assertJsonType(request.headers)
  return parseJson(bytes)
}

/** @throws Problem `unsupported_media_type` */
function assertJsonType(headers: Headers): void {
  if (headers.has('content-encoding')) {
    throw new Problem('unsupported_media_type', 'Content-Encoding must not be set; send plain JSON')
  }
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) {
    throw new Problem('unsupported_media_type', 'Content-Type must be application/json')
  }
}

/** @throws Problem `invalid_request` unless the bytes are one JSON object without repeated keys */
function parseJson(bytes: Uint8Array): Record<string, unknown> {
  let text: string
  let value: unknown
  try {
    // JSON.parse refuses a byte order mark, which RFC 8259 forbids.
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch (cause) {
    throw badRequest('not_json', undefined, cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('not_an_object')
  }
  for (const { key, repeated } of keysIn(text)) {
    if (key === '__proto__') throw badRequest('forbidden_key', { key })
    if (repeated) {
      throw badRequest('repeated_key', { key: JSON.stringify(key) })
    }
  }
  return value as Record<string, unknown>
}

interface Watch {
  /** Called with the number of bytes that arrived, before they are kept. */
  grow(bytes: number): void
  /** Ends the reading when aborted. Its reason is the Problem to throw. */
  readonly signal: AbortSignal
}

/**
 * Reads at most `max` bytes. It counts them as they arrive, because `Content-Length` is only the sender's claim.
 *
 * @throws Problem `body_too_large`; `invalid_request` if the body breaks off; the reason of the watch's signal
 */
export async function readBytes(
  request: Request,
  max: number,
  watch?: Watch,
): Promise<Uint8Array<ArrayBuffer>> {
  assertSize(Number(request.headers.get('content-length')), max)
  if (!request.body) return new Uint8Array(0)
  const reader = request.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  watch?.signal.addEventListener('abort', stop)
  const body = gather(max)
  try {
    for (;;) {
      watch?.signal.throwIfAborted()
      const { value: chunk, done } = await reader.read()
      watch?.grow(chunk?.byteLength ?? 0)
      watch?.signal.throwIfAborted()
      if (done) return body.bytes()
      body.add(chunk)
    }
  } catch (cause) {
    if (watch?.signal.aborted) stop()
    else drop(reader)
    // The client hung up, so nobody gets this answer, and it isn't a fault of ours.
    throw cause instanceof Problem ? cause : badRequest('cut_off_body', undefined, cause)
  } finally {
    watch?.signal.removeEventListener('abort', stop)
  }
}

/**
 * Reads and drops the rest of a body. Node leaves an unread rest on the connection, where the next request would wait
 * behind it. By itself, Node only drops a body that nobody has begun to read.
 */
async function drop(reader: ReadableStreamDefaultReader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has gone.
  }
}

/** @throws Problem `body_too_large` */
export function assertSize(bytes: number, max: number): void {
  if (bytes > max) {
    throw new Problem('body_too_large', `The body must not be larger than ${max / 1024} KiB`)
  }
}

/**
 * Joins pieces. However small they are, it holds at most twice as many bytes as have arrived. A single piece isn't
 * copied.
 *
 * @param release called with bytes that are no longer needed
 */
export function gather(max: number, release: (bytes: Uint8Array) => void = () => {}) {
  let held = new Uint8Array(0)
  let length = 0
  return {
    /** @throws Problem `body_too_large` */
    add(chunk: Uint8Array<ArrayBuffer>): void {
      const grown = length + chunk.byteLength
      assertSize(grown, max)
      if (length === 0) {
        held = chunk
      } else {
        if (grown > held.byteLength) {
          const larger = new Uint8Array(Math.max(grown, Math.min(max, 2 * held.byteLength)))
          larger.set(held.subarray(0, length))
          release(held)
          held = larger
        }
        held.set(chunk, length)
        release(chunk)
      }
      length = grown
    },
    bytes: () => held.subarray(0, length),
    drop: () => release(held),
  }
}

/**
 * The keys of all objects in a valid JSON text, including repeated ones, of which `JSON.parse` would silently keep the
 * last. One pass without recursion, so nesting costs nothing.
 */
function* keysIn(json: string): Generator<{ key: string; repeated: boolean }> {
  const open: Set<string>[] = []
  for (const [token, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) {
      const key = JSON.parse(token.slice(0, -colon.length))
      const keys = open.at(-1)
      yield { key, repeated: keys?.has(key) ?? false }
      keys?.add(key)
    }
  }
}
