import { acceptsGzip } from './accept.ts'

/** Returns the value of a request's header, by its name in lower case, or `null`. */
export type HeaderOf = (name: string) => string | null

/**
 * A response that is ready to be sent (contract R2). Routes send it as a `Response`; `server/reads-from-memory.ts`
 * writes it as it is.
 */
export interface CachedResponse {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  /** `null` if the status is 304. */
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** A document in each available encoding. All requests share one `Resource`, so its headers are frozen. */
export interface Resource {
  /** The document without compression. */
  readonly identity: Representation
  /** The document compressed with gzip; `undefined` if it is only sent without compression. */
  readonly gzip: Representation | undefined
  /** Returns the same document with more headers. */
  with(more: Readonly<Record<string, string>>): Resource
}

/** A document in one encoding. */
export interface Representation {
  /** The strong ETag, with its quotes. */
  readonly etag: string
  /** The 200. */
  readonly full: CachedResponse
  /** The 304. */
  readonly unchanged: CachedResponse
}

/** A 304 omits the headers that describe a body (RFC 9110, 15.4.5). */
const DESCRIBES_BODY = /^content-(type|length|encoding|language)$/i

/**
 * Creates a document, with the headers of its 200 and its 304 in each encoding.
 *
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
export function chooseResponse({ identity, gzip }: Resource, header: HeaderOf): CachedResponse {
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

/** Returns the response for a request, as a web-standard `Response`. */
export function toResponse(resource: Resource, request: Request): Response {
  const { status, headers, body } = chooseResponse(resource, (name) => request.headers.get(name))
  return new Response(body, { status, headers })
}
