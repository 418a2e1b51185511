import { parseAccept } from 'hono/utils/accept'
import { TAG } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Showing } from '../showing/showing.ts'
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
  /** The same document with more headers. */
  with(more: Readonly<Record<string, string>>): Resource
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
    gzip:
      gzip &&
      represent(gzip, `${etag.slice(0, -1)}-gz"`, { ...headers, 'Content-Encoding': 'gzip' }),
    with: (more) => createResource(body, etag, { ...headers, ...more }, gzip),
  }
}

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

function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null || acceptEncoding === 'identity') return false
  const accepted = parseAccept(acceptEncoding.slice(0, MAX_ACCEPT))
  const coding = (name: string) => accepted.find(({ type }) => type.toLowerCase() === name)
  return ((coding('gzip') ?? coding('*'))?.q ?? 0) > 0
}

/** Longer than any browser's `Accept-…`. A longer one is only meant to cost time, so it is cut. */
export const MAX_ACCEPT = 1_000
const MAX_RANGES = 20

/** The languages that a reader prefers, the best first, without refused ones (`q=0`). */
export function preferredIn(acceptLanguage: string | null | undefined): string[] {
  return parseAccept((acceptLanguage ?? '').slice(0, MAX_ACCEPT))
    .filter(({ q }) => q > 0)
    .slice(0, MAX_RANGES)
    .map(({ type }) => type)
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

/** Marks a document with how long a shared cache may keep it (contract R13). */
export type Share = ReturnType<typeof createShare>

/**
 * A document may be kept until its announcement ends at most. Starts play no part, because the lifetime would reveal
 * them: the cache is purged at a start.
 *
 * @param maxAge how long a shared cache may keep a document, in seconds; 0: not at all
 */
export function createShare(maxAge: number, settled: () => boolean, { now }: Clock) {
  /** The lifetime changes at most once a second, and only before an end. */
  const marked = new WeakMap<Resource, { seconds: number; resource: Resource }>()
  return (resource: Resource, { event, stale }: Snapshot): Resource => {
    if (maxAge === 0 || stale || !settled()) return resource
    const end = event?.expiresAt ?? Number.POSITIVE_INFINITY
    const seconds = Math.min(maxAge, Math.floor((end - now()) / 1000))
    if (seconds < 1) return resource
    const before = marked.get(resource)
    if (before?.seconds === seconds) return before.resource
    // Browsers ignore these, and revalidate because of `Cache-Control` (RFC 9213).
    const lifetime = `max-age=${seconds}`
    const extended = resource.with({
      'CDN-Cache-Control': lifetime,
      'Surrogate-Control': lifetime,
    })
    marked.set(resource, { seconds, resource: extended })
    return extended
  }
}

/** Answers with a document of what shows now (spec 4.2, contract R1 to R3, R13). */
export async function show(
  { showing, share }: { showing: Pick<Showing, 'read'>; share: Share },
  request: Request,
  resourceOf: (snapshot: Snapshot) => Resource,
): Promise<Response> {
  const snapshot = await showing.read()
  return toResponse(share(resourceOf(snapshot), snapshot), request)
}
