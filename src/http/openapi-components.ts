/** The shared parts of the OpenAPI document: headers and error responses. */

const text = (description: string, schema: object = {}) => ({
  description,
  required: true,
  schema: { type: 'string', ...schema },
})
const sometimes = (header: object) => ({ ...header, required: false })
const exactly = (description: string, value: string) => text(description, { const: value })

/** The headers that Placard sets, by name. A server or a proxy may add more. */
export const HEADERS = {
  'X-Request-Id': text('The id of the request in the log.', { pattern: '^[\\w.-]{1,64}$' }),
  'Cache-Control': text('How caches may store the response.'),
  'X-Content-Type-Options': exactly('Browsers must not guess another media type.', 'nosniff'),
  'Access-Control-Allow-Origin': exactly('Pages from any origin may read the response.', '*'),
  'Access-Control-Allow-Methods': exactly('The methods that other origins may use.', 'GET, HEAD'),
  'Access-Control-Allow-Headers': exactly(
    'The headers that other origins may send.',
    'cache-control, last-event-id',
  ),
  'Access-Control-Max-Age': exactly('How long to cache the preflight, in seconds.', '86400'),
  ETag: text('A strong validator of the body.', { pattern: '^"[\\x21\\x23-\\x7e]*"$' }),
  'Cache-Tag': exactly('The tag by which caches purge the response.', 'event'),
  'Surrogate-Key': exactly('The key by which caches purge the response.', 'event'),
  'Cache-Groups': exactly('The group by which caches purge the response (RFC 9875).', '"event"'),
  'CDN-Cache-Control': sometimes(text('How long shared caches may keep a response (RFC 9213).')),
  'Surrogate-Control': sometimes(text('How long CDNs that read this header may keep a response.')),
  Vary: text('The request headers on which the response depends.'),
  'Cross-Origin-Resource-Policy': exactly('Pages from any origin may load it.', 'cross-origin'),
  'Referrer-Policy': text('What browsers reveal of this address.'),
  'Placard-Stale': sometimes(
    exactly('The response is the last known state, because the database is unreachable.', '1'),
  ),
  'X-Accel-Buffering': exactly('Tells nginx not to buffer the stream.', 'no'),
  'RateLimit-Policy': exactly('The limit on writes from a client address.', '"write";q=10;w=10'),
  RateLimit: text('`r`: the number of writes left. `t`: the seconds until one more is allowed.', {
    pattern: '^"write";r=\\d+;t=\\d+$',
  }),
  'Placard-Event-Id': text('The id of the announcement.'),
  'Placard-Warning': sometimes(
    text(
      'Reasons why the announcement may not work as intended: strings with the parameters `code` and `path` (RFC 9651).',
    ),
  ),
  'WWW-Authenticate': text('The authentication scheme.', { pattern: '^Bearer realm="placard"' }),
  'Retry-After': text('How many seconds to wait before a retry.', { pattern: '^[1-9]\\d*$' }),
  Allow: text('The methods that the path accepts.'),
  Link: text('The address of the OpenAPI document (RFC 8631).', { pattern: 'rel="service-desc"' }),
}

type HeaderName = keyof typeof HEADERS

/** Names of response headers. A name that ends in `?` marks an optional header. */
export type HeaderNames = readonly (HeaderName | `${HeaderName}?`)[]

/** Returns a reference to a component of the OpenAPI document. */
export const refTo = (kind: 'schemas' | 'headers' | 'responses', name: string | number) => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Describes the given headers. */
export function headers(...names: HeaderNames): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => {
      const bare = name.replace('?', '') as HeaderName
      return [bare, name === bare ? refTo('headers', bare) : sometimes(HEADERS[bare])]
    }),
  )
}

const problem = (description: string, ...names: HeaderNames) => ({
  description,
  headers: headers('X-Request-Id', 'Cache-Control', 'X-Content-Type-Options', ...names),
  content: { 'application/json': { schema: refTo('schemas', 'Problem') } },
})

/** An error response of a route, with the `RateLimit` headers if the request is counted as a write (contract A1). */
const refusal = (description: string, ...names: HeaderNames) =>
  problem(description, 'RateLimit-Policy?', 'RateLimit?', ...names)

/** The error responses that a route can declare, by status. */
const PROBLEMS = {
  400: refusal('The request is not valid.'),
  401: refusal('The bearer token is missing or wrong.', 'WWW-Authenticate'),
  404: refusal('There is no such announcement or history entry.'),
  409: refusal('The history entry cannot be undone. `reason` says why.'),
  412: refusal('The `ETag` in `If-Match` is out of date.'),
  413: refusal('The body is too large.'),
  415: refusal('`Content-Type` is not JSON in UTF-8, or `Content-Encoding` is set.'),
  429: refusal('The client has sent too many requests.', 'Retry-After'),
  500: refusal('The service failed because of a bug. Its log has the cause.'),
  503: refusal('The service cannot handle the request now. Try again later.', 'Retry-After'),
}

export type ProblemStatus = keyof typeof PROBLEMS

export const RESPONSES = {
  ...PROBLEMS,
  NotFound: problem('There is nothing at this path.', 'Link'),
  MethodNotAllowed: problem('The path does not accept this method.', 'Allow', 'Link'),
  Refused: {
    ...problem(
      'On any path: the request is invalid HTTP/1.1, too slow or too large, or has an unsupported `Expect`. Most of these responses have no body.',
    ),
    headers: headers('X-Request-Id?', 'Cache-Control?', 'X-Content-Type-Options?', 'Allow?'),
  },
  Preflight: {
    description: 'Pages from any origin may read this path.',
    headers: headers(
      'Access-Control-Allow-Origin',
      'Access-Control-Allow-Methods',
      'Access-Control-Allow-Headers',
      'Access-Control-Max-Age',
    ),
  },
}
