/** Reads the parts of a request: its body, its query and its author. */
import { tryDecodeURIComponent } from 'hono/utils/url'
import * as z from 'zod'
import type { Author } from '../commands.ts'
import { etagOf } from '../core/announcement.ts'
import { pickAt } from '../core/board.ts'
import type { Clock } from '../core/clock.ts'
import { bareTag } from '../core/etag.ts'
import { code } from '../core/fields.ts'
import { badRequest } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'

const MAX_JSON_BYTES = 16 * 1024
/** Throws on invalid UTF-8 and keeps a byte order mark, so the text encodes back to exactly the same bytes. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Reads a request's body as a JSON object (contract A5).
 *
 * @throws Problem 415 for a wrong `Content-Type` or any `Content-Encoding`, 413 over 16 KiB, 400 for invalid JSON
 */
export async function readJson(request: Request): Promise<Record<string, unknown>> {
  assertJsonType(request.headers)
  return parseJson(await readBytes(request, MAX_JSON_BYTES))
}

/** Like {@link readJson}, but returns `undefined` for an empty body. */
export async function readOptionalJson(request: Request) {
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
    // JSON.parse rejects a byte order mark, which RFC 8259 forbids.
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
    if (repeated) throw badRequest('repeated_key', { key })
  }
  return value as Record<string, unknown>
}

/**
 * Reads a body of at most `max` bytes, counted as they arrive, because `Content-Length` is only the sender's claim.
 *
 * @throws Problem `body_too_large`; `invalid_request` if the body is cut off
 */
export async function readBytes(request: Request, max: number): Promise<Uint8Array<ArrayBuffer>> {
  assertSize(Number(request.headers.get('content-length')), max)
  if (!request.body) return new Uint8Array(0)
  const reader = request.body.getReader()
  const body = gather()
  try {
    for (;;) {
      const { value: chunk, done } = await reader.read()
      if (done) return body.bytes()
      assertSize(body.add(chunk), max)
    }
  } catch (cause) {
    drop(reader)
    // The client has disconnected, so it gets no response, and the failure isn't a bug of ours.
    throw cause instanceof Problem ? cause : badRequest('cut_off_body', undefined, cause)
  }
}

/**
 * Reads and discards the rest of a body, because unread bytes would block the next request on the connection. Node
 * itself discards a body only if nothing has begun to read it.
 */
async function drop(reader: ReadableStreamDefaultReader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has disconnected.
  }
}

/** @throws Problem `body_too_large` */
function assertSize(bytes: number, max: number): void {
  if (bytes > max) {
    throw new Problem('body_too_large', `The body must not be larger than ${max / 1024} KiB`)
  }
}

/** How many chunks to keep before they are joined. Each takes over 100 bytes, even if it holds only one byte. */
const MAX_CHUNKS = 64

/** Collects the chunks of a body, in about as much memory as its bytes take, even if all chunks are tiny. */
export function gather() {
  let chunks: Uint8Array[] = []
  let length = 0
  function bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(length)
    let at = 0
    for (const chunk of chunks) {
      all.set(chunk, at)
      at += chunk.byteLength
    }
    return all
  }
  return {
    /** @returns how many bytes there are now */
    add(chunk: Uint8Array): number {
      length += chunk.byteLength
      chunks.push(chunk)
      if (chunks.length > MAX_CHUNKS) chunks = [bytes()]
      return length
    },
    bytes,
    /** Frees the memory at once. Left to the garbage collector, dropped bodies would take up to 100 times as much. */
    free() {
      for (const { buffer, byteLength } of chunks.splice(0)) {
        // A buffer may be shared with other data.
        if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
      }
    },
  }
}

/**
 * Yields the keys of all objects in a valid JSON text, including repeated keys, of which `JSON.parse` silently keeps
 * the last. The text is scanned once, without recursion, so deep nesting does no harm.
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

export const searchOf = (request: Request): URLSearchParams => new URL(request.url).searchParams

/** Returns the parameters of a query. @throws Problem `invalid_request` if a parameter is repeated */
export function queryOf(query: URLSearchParams): Record<string, string> {
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) throw badRequest('repeated_parameter', { name })
  }
  return Object.fromEntries(query)
}

/** Like {@link queryOf}, but allows only the parameters in `names`. @throws Problem `invalid_request` */
export function knownQueryOf<Name extends string>(search: URLSearchParams, ...names: Name[]) {
  const query = queryOf(search)
  const name = Object.keys(query).find((name) => !names.includes(name as Name))
  if (name !== undefined) throw badRequest('unknown_parameter', { name })
  return query as Partial<Record<Name, string>>
}

/** Allows U+200C for Persian names and U+200D for emoji, but no name that has only these invisible characters. */
const PRINTABLE =
  /^(?=.*[^\u200c\u200d])(?:[\u200c\u200d]|[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]){1,64}$/u

/**
 * Returns the author of a write, and the condition in its `If-Match` (contract R8, A17). Trust the author only if the
 * guard has admitted the request.
 *
 * @throws Problem `invalid_request` for a name that isn't printable
 */
export function authorOf(
  { request: { headers }, secretName }: { request: Request; secretName: string | null },
  clock: Clock,
): Author {
  const given = nameIn(headers.get('placard-actor'))
  const name = secretName ?? given
  const origin = headers.get('placard-via')
  const via = origin === 'cli' || origin === 'admin' ? origin : 'api'
  const ifMatch = headers.get('if-match')
  return {
    by: { via, ...(name !== undefined && { name }) },
    ...(ifMatch !== null && {
      expects: (board, edited) =>
        isMatch(ifMatch, etagOf(pickAt(board, clock.now()))) ||
        (edited !== undefined && isMatch(ifMatch, etagOf(edited))),
    }),
  }
}

/** @throws Problem `invalid_request` */
function nameIn(header: string | null): string | undefined {
  if (header === null) return undefined
  // All but printable ASCII must be percent-encoded, because a header doesn't declare the encoding of its bytes.
  const isAscii = /^[\x20-\x7e]*$/.test(header)
  const name = isAscii ? printable(tryDecodeURIComponent(header)) : undefined
  if (name === undefined) throw badRequest('not_an_actor')
  return name
}

/** Trims a name for the history. @returns `undefined` if the name isn't printable */
export function printable(name: string): string | undefined {
  const trimmed = name.trim()
  return PRINTABLE.test(trimmed) ? trimmed : undefined
}

/** The body of a request for a sign-in link to the admin. */
export const linkFor = z.strictObject({
  name: z
    .string({ error: code('not_a_name') })
    .min(1, { error: code('not_a_name'), abort: true })
    .refine((name) => printable(name) !== undefined, code('not_a_name'))
    .optional()
    .describe("The person's name in the history: 1 to 64 printable characters."),
})

/** Whether the header names the ETag in any of the forms that proxies give it, or is `*`. */
function isMatch(ifMatch: string, etag: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  return (
    tags.includes('*') || tags.some((tag) => QUOTED.test(tag) && bareTag(tag) === bareTag(etag))
  )
}

const QUOTED = /^(W\/)?".*"$/
