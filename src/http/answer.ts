import { parseAccept } from 'hono/utils/accept'
import { CACHE_TAG } from '../core/cache-tag.ts'
import type { Clock } from '../core/clock.ts'
import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'

/** Returns the value of a request's header, by its name in lower case, or `null`. */
export type HeaderOf = (name: string) => string | null

/** The response to a read, decided here because both the router and `server/reads.ts` send it (contract R2). */
export interface CachedResponse {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  /** `null` if the status is 304. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** A document in each available encoding. All requests share one `Resource`, so its headers are frozen. */
export interface Resource {
  readonly identity: Representation
  readonly gzip: Representation | undefined
  /** Returns the same document with more headers. */
  with(more: Readonly<Record<string, string>>): Resource
}

/** A document in one encoding. */
export interface Representation {
  readonly etag: string
  readonly full: CachedResponse
  readonly unchanged: CachedResponse
}

/** With these headers, caches revalidate before each use, and shared caches can be purged by tag (contract R2, W7). */
export const CACHE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Cache-Tag': CACHE_TAG,
  'Surrogate-Key': CACHE_TAG,
  'Cache-Groups': `"${CACHE_TAG}"`,
} as const

/** A Content-Security-Policy for pages that load nothing from other origins, and have no inline code. */
export const pagePolicy = (formAction: "'self'" | "'none'"): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')

export const NO_STORE = { 'Cache-Control': 'no-store' } as const

/** A response in JSON that no cache stores. */
export const uncached = (body: object): Response => Response.json(body, { headers: NO_STORE })

/** A 304 omits the headers that describe a body (RFC 9110, 15.4.5). */
const DESCRIBES_BODY = /^content-(type|length|encoding|language)$/i

/**
 * @param etag the strong ETag of the identity encoding, quotes included
 * @param gzip the body compressed with gzip. If it is missing, all clients get the identity encoding
 */
export function createResource(
  body: Uint8Array<ArrayBuffer>,
  etag: string,
  headers: Readonly<Record<string, string>>,
  gzip?: Uint8Array<ArrayBuffer>,
): Resource {
  return {
    identity: represent(body, etag, headers),
    // A strong ETag identifies exact bytes, so each encoding has its own (RFC 9110, 8.8.3.3).
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

/** Chooses the encoding and the status. Without a gzip version, one or two comparisons usually suffice. */
export function answer({ identity, gzip }: Resource, header: HeaderOf): CachedResponse {
  const selected = gzip && acceptsGzip(header('accept-encoding')) ? gzip : identity
  const ifNoneMatch = header('if-none-match')
  if (ifNoneMatch === null) return selected.full
  if (ifNoneMatch === selected.etag) return selected.unchanged
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim())
  if (tags.includes('*')) return selected.unchanged
  // RFC 9110 requires a weak comparison for `If-None-Match`. Proxies turn strong ETags into weak ones.
  const has = ({ etag }: Representation) => tags.includes(etag) || tags.includes(`W/${etag}`)
  // A client's copy in the other encoding is just as valid, so the 304 carries the ETag of that copy.
  return [selected, identity, gzip].find((one) => one && has(one))?.unchanged ?? selected.full
}

/** The last `Accept-Encoding` that was parsed. Nearly all browsers send the same. */
let latest = { header: '', accepts: false }

function acceptsGzip(header: string | null): boolean {
  if (header === null) return false
  if (header !== latest.header) {
    const accepted = parseAccept(header.slice(0, MAX_ACCEPT))
    const coding = (name: string) => accepted.find(({ type }) => type.toLowerCase() === name)
    latest = { header, accepts: ((coding('gzip') ?? coding('*'))?.q ?? 0) > 0 }
  }
  return latest.accepts
}

/** How many characters of an `Accept-…` header are parsed. Only an attacker sends more, to waste CPU time. */
export const MAX_ACCEPT = 1_000
const MAX_RANGES = 20

/** A reader's languages, most preferred first, without those that `q=0` excludes. */
export function preferredIn(acceptLanguage: string | null | undefined): string[] {
  return parseAccept((acceptLanguage ?? '').slice(0, MAX_ACCEPT))
    .filter(({ q }) => q > 0)
    .slice(0, MAX_RANGES)
    .map(({ type }) => type)
}

/** The response to a read, as a web-standard `Response`. */
export function toResponse(resource: Resource, request: Request): Response {
  const { status, headers, body } = answer(resource, (name) => request.headers.get(name))
  return new Response(body, { status, headers })
}

export const EVENTS_PATH = '/api/events'

const resources = new WeakMap<Snapshot, Resource>()

/** Returns the document of `GET /api/events` (contract R1 to R3), which is built once for each snapshot. */
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

/** Returns the header that marks a response as possibly stale, while the database is unreachable (contract R3). */
export function staleness({ stale }: Snapshot): Record<string, string> {
  return stale ? { 'Placard-Stale': '1' } : {}
}

/** Adds headers that let a shared cache use a document for a while without revalidation (contract R13). */
export type Share = ReturnType<typeof createShare>

/**
 * The `max-age` for shared caches never runs past the announcement's end. A scheduled start doesn't shorten the
 * lifetime, because that would reveal the schedule; instead, the service purges the cache when the announcement starts.
 *
 * @param maxAge the longest lifetime, in seconds; with 0, shared caches revalidate each time
 */
export function createShare(maxAge: number, settled: () => boolean, { now }: Clock) {
  /** Documents with headers added. Each is reused until the announcement's end requires a shorter `max-age`. */
  const marked = new WeakMap<Resource, { seconds: number; resource: Resource }>()
  return (resource: Resource, { event, stale }: Snapshot): Resource => {
    if (maxAge === 0 || stale || !settled()) return resource
    const end = event?.expiresAt ?? Number.POSITIVE_INFINITY
    const seconds = Math.min(maxAge, Math.floor((end - now()) / 1000))
    if (seconds < 1) return resource
    const before = marked.get(resource)
    if (before?.seconds === seconds) return before.resource
    // Browsers ignore `CDN-Cache-Control` and `Surrogate-Control`, and revalidate, as `Cache-Control` asks (RFC 9213).
    const lifetime = `max-age=${seconds}`
    const extended = resource.with({
      'CDN-Cache-Control': lifetime,
      'Surrogate-Control': lifetime,
    })
    marked.set(resource, { seconds, resource: extended })
    return extended
  }
}

/** Responds with a document for the current announcement (spec 4.2, contract R1 to R3, R13). */
export async function show(
  { showing, share }: { showing: Pick<Showing, 'read'>; share: Share },
  request: Request,
  resourceOf: (snapshot: Snapshot) => Resource,
): Promise<Response> {
  const snapshot = await showing.read()
  return toResponse(share(resourceOf(snapshot), snapshot), request)
}
