import { parseAccept } from 'hono/utils/accept'
import { TAG } from '../commands.ts'
import type { Snapshot } from '../showing/snapshot.ts'

/** The answer to a read, decided here for both writers (contract R2). */
export interface Answer {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  /** `null` with status 304. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** A finished document in each available encoding. All readers share it, so it is frozen. */
export interface Resource {
  readonly identity: Representation
  readonly gzip: Representation | undefined
}

/** A document in one encoding. */
export interface Representation {
  readonly etag: string
  readonly full: Answer
  readonly unchanged: Answer
}

/** The request's accepted encodings and cached versions; `null` without the header. */
export interface Conditions {
  acceptEncoding: string | null
  ifNoneMatch: string | null
}

/** Shared caches revalidate before each use, and drop everything with the tag when it is purged (contract R2, W7). */
export const CACHE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Cache-Tag': TAG,
  'Surrogate-Key': TAG,
  'Cache-Groups': `"${TAG}"`,
} as const

/** For answers that no cache may keep. */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const

/** A 304 leaves out the headers that describe a body (RFC 9110, 15.4.5). */
const DESCRIBES_BODY = /^content-(type|length|encoding|language)$/i

/**
 * @param etag strong, with its quotes; for the identity encoding
 * @param gzip the same body compressed, if that is worthwhile
 */
export function createResource(
  body: Uint8Array<ArrayBuffer>,
  etag: string,
  headers: Readonly<Record<string, string>>,
  gzip?: Uint8Array<ArrayBuffer>,
): Resource {
  return {
    identity: represent(body, etag, headers),
    // A strong tag names bytes, so two encodings have two tags (RFC 9110, 8.8.3.3).
    gzip: gzip && represent(gzip, `${etag.slice(0, -1)}-gz"`, { ...headers, ...ZIPPED }),
  }
}

const ZIPPED = { 'Content-Encoding': 'gzip' }

function represent(
  body: Uint8Array<ArrayBuffer>,
  etag: string,
  headers: Readonly<Record<string, string>>,
): Representation {
  const full = { ...headers, 'Content-Length': String(body.byteLength), ETag: etag }
  const remaining = Object.entries(full).filter(([name]) => !DESCRIBES_BODY.test(name))
  return {
    etag,
    full: { status: 200, headers: Object.freeze(full), body },
    unchanged: { status: 304, headers: Object.freeze(Object.fromEntries(remaining)), body: null },
  }
}

/** The same document with more headers. */
export function extendResource(
  { identity, gzip }: Resource,
  more: Readonly<Record<string, string>>,
): Resource {
  const extend = (answer: Answer): Answer => ({
    ...answer,
    headers: Object.freeze({ ...answer.headers, ...more }),
  })
  const extended = ({ etag, full, unchanged }: Representation): Representation => ({
    etag,
    full: extend(full),
    unchanged: extend(unchanged),
  })
  return { identity: extended(identity), gzip: gzip && extended(gzip) }
}

/** Chooses the answer. Cost: one comparison for each of the two headers in the request. */
export function answer(resource: Resource, { acceptEncoding, ifNoneMatch }: Conditions): Answer {
  const { identity, gzip } = resource
  const selected = gzip && acceptsGzip(acceptEncoding) ? gzip : identity
  if (ifNoneMatch === null) return selected.full
  if (ifNoneMatch === selected.etag) return selected.unchanged
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim())
  if (tags.includes('*')) return selected.unchanged
  // Compared weakly, as RFC 9110 asks, because proxies turn strong tags into weak ones.
  const has = ({ etag }: Representation) => tags.includes(etag) || tags.includes(`W/${etag}`)
  // A copy in the other encoding will do. The 304 has the tag of the client's copy.
  return [selected, identity, gzip].find((one) => one && has(one))?.unchanged ?? selected.full
}

/** A longer header is only meant to cost time, so it is cut. */
const MAX_LENGTH = 1_000

function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null || acceptEncoding === 'identity') return false
  const accepted = parseAccept(acceptEncoding.slice(0, MAX_LENGTH))
  const coding = (name: string) => accepted.find(({ type }) => type.toLowerCase() === name)
  return ((coding('gzip') ?? coding('*'))?.q ?? 0) > 0
}

/** The answer for runtimes that speak `Request` and `Response`. */
export function toResponse(resource: Resource, request: Request): Response {
  const { status, headers, body } = answer(resource, {
    acceptEncoding: request.headers.get('accept-encoding'),
    ifNoneMatch: request.headers.get('if-none-match'),
  })
  return new Response(body, { status, headers })
}

export const EVENTS_PATH = '/api/events'

const resources = new WeakMap<Snapshot, Resource>()

/** The document of `GET /api/events` (contract R1 to R3). Cost: one look-up. */
export function eventResource(snapshot: Snapshot): Resource {
  let resource = resources.get(snapshot)
  if (!resource) {
    resource = createResource(snapshot.body, snapshot.etag, {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      ...CACHE_HEADERS,
      'Access-Control-Allow-Origin': '*',
      ...staleness(snapshot),
    })
    resources.set(snapshot, resource)
  }
  return resource
}

/** The header of an answer that may be out of date, because the database can't be reached (contract R3). */
export function staleness({ stale }: Snapshot): Record<string, string> {
  return stale ? { 'Placard-Stale': '1' } : {}
}
