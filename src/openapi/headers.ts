import { refTo } from './component.ts'

const text = (description: string, schema: object = {}) => ({
  description,
  required: true,
  schema: { type: 'string', ...schema },
})
const sometimes = (header: object) => ({ ...header, required: false })
const exactly = (description: string, value: string) => text(description, { const: value })

/** Every header of an answer that means something, by its name. What a server or a proxy adds isn't among them. */
export const HEADERS = {
  'X-Request-Id': text('The id of the request in the log.', { pattern: '^[\\w.-]{1,64}$' }),
  'Cache-Control': text('How caches are to treat it.'),
  'X-Content-Type-Options': exactly('Browsers take the body for nothing else.', 'nosniff'),
  'Access-Control-Allow-Origin': exactly('Pages of every origin may read it.', '*'),
  'Access-Control-Allow-Methods': exactly('How they may.', 'GET, HEAD'),
  'Access-Control-Allow-Headers': exactly(
    'What they may send with it.',
    'cache-control, last-event-id',
  ),
  'Access-Control-Max-Age': exactly('For how many seconds that holds.', '86400'),
  ETag: text('A strong tag of the body.', { pattern: '^"[\\x21\\x23-\\x7e]*"$' }),
  'Cache-Tag': exactly('For caches that purge by tag.', 'event'),
  'Surrogate-Key': exactly('For caches that purge by key.', 'event'),
  'Cache-Groups': exactly('For caches that purge by group (RFC 9875).', '"event"'),
  'CDN-Cache-Control': sometimes(text('How long a cache in front may keep it (RFC 9213).')),
  'Surrogate-Control': sometimes(text('The same, for caches that read this header.')),
  'Placard-Stale': sometimes(
    exactly('It is the last known answer: the database is unreachable.', '1'),
  ),
  'X-Accel-Buffering': exactly('Tells nginx not to hold messages back.', 'no'),
  'RateLimit-Policy': exactly('The limit on writes of a client address.', '"write";q=10;w=10'),
  RateLimit: text('What is left of it, and when the window has moved on, in seconds.', {
    pattern: '^"write";r=\\d+;t=\\d+$',
  }),
  'Placard-Event-Id': text('The id of the announcement.'),
  'Placard-Warning': sometimes(
    text(
      'What will probably not work as meant: a list of strings with the parameters `code` and `path` (RFC 9651).',
    ),
  ),
  'WWW-Authenticate': text('What is missing or wrong.', { pattern: '^Bearer realm="placard"' }),
  'Retry-After': text('Seconds to wait.', { pattern: '^[1-9]\\d*$' }),
  Allow: text('The methods that the path takes.'),
  Link: text('Where this document is (RFC 8631).', { pattern: 'rel="service-desc"' }),
}

type Name = keyof typeof HEADERS

/** Names of headers. One that ends in `?` may be lacking. */
export type HeaderNames = readonly (Name | `${Name}?`)[]

/** The headers of an answer, and the one that every answer has. */
export function headers(...names: HeaderNames): Record<string, object> {
  return Object.fromEntries(
    ['X-Request-Id' as const, ...names].map((name) => {
      const bare = name.replace('?', '') as Name
      return [bare, name === bare ? refTo('headers', bare) : sometimes(HEADERS[bare])]
    }),
  )
}
