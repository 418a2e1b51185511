import { refTo } from './component.ts'
import { type HeaderNames, headers } from './headers.ts'

/** An answer with a JSON body. */
export function json(description: string, schema: object, example: unknown, names: HeaderNames) {
  return {
    description,
    headers: headers(...names),
    content: { 'application/json': { schema, example } },
  }
}

/** A body of a request, as JSON. */
export function body(name: string, example: unknown, required = true) {
  return { required, content: { 'application/json': { schema: refTo('schemas', name), example } } }
}

/** Says where a client of writes stands. */
export const LIMITS: HeaderNames = ['RateLimit-Policy', 'RateLimit']
/** What fails before a client is counted can't say it. */
const MAYBE_LIMITS: HeaderNames = ['RateLimit-Policy?', 'RateLimit?']

/** What a client has to know of each kind of error: its name, what it means, an example, and the headers it has. */
const PROBLEMS = {
  400: ['Invalid', 'The request is not valid.', 'Invalid request body'],
  401: ['Unauthorized', 'The bearer is missing or wrong.', 'Unauthorized', 'WWW-Authenticate'],
  404: [
    'NoSuchEntry',
    'It may be gone by now.',
    'There is nothing with this id; it may be gone by now',
  ],
  409: ['Conflict', 'Something has changed there since.', 'What was there has ended by now'],
  412: ['Changed', 'Something else shows than `If-Match` names.', 'Something else shows by now'],
  413: ['TooLarge', 'The body is too large.', 'The body must not be larger than 16 KiB'],
  415: ['NotJson', 'The body is not plain JSON.', 'Content-Type must be application/json'],
  429: ['TooMany', 'There were too many requests.', 'Too many requests', 'Retry-After'],
  500: ['Fault', 'A fault of the service. The log has its cause.', 'Internal error'],
  503: ['Unavailable', 'Try again later.', 'The database is unavailable; try again', 'Retry-After'],
} as const satisfies Record<number, readonly [string, string, string, HeaderNames[number]?]>

type Status = keyof typeof PROBLEMS

const DETAILS: Partial<Record<Status, object>> = {
  400: {
    code: 'invalid_body',
    issues: [{ path: 'text', code: 'required', message: 'is required' }],
  },
  429: { retryAfter: 7 },
}

/** These errors of an operation, by their status, and 500. */
export function problems(...statuses: Status[]): Record<string, object> {
  return refs('', statuses)
}

/** The same, of a write: these say where the client stands. */
export function writeProblems(...statuses: Status[]): Record<string, object> {
  return refs('Write', statuses)
}

function refs(prefix: string, statuses: Status[]): Record<string, object> {
  return Object.fromEntries(
    [...statuses, 500 as const].map((status) => [
      status,
      refTo('responses', prefix + PROBLEMS[status][0]),
    ]),
  )
}

function problem(description: string, error: object, names: HeaderNames) {
  return json(description, refTo('schemas', 'Problem'), error, [
    'Cache-Control',
    'X-Content-Type-Options',
    ...names,
  ])
}

/** Each error as a component, for writes and for all else; and the answer to a preflight. */
export function componentResponses(): Record<string, object> {
  const each = Object.entries(PROBLEMS).flatMap(([digits, [name, description, error, ...more]]) => {
    const status = Number(digits) as Status
    const example = { error, ...DETAILS[status] }
    const limits = status < 500 ? LIMITS : MAYBE_LIMITS
    return [
      [name, problem(description, example, more)],
      [`Write${name}`, problem(description, example, [...limits, ...more])],
    ]
  })
  const nothing = { error: 'There is nothing at this path' }
  const other = { error: 'PATCH is not allowed here; use GET, HEAD, POST, DELETE' }
  return {
    ...Object.fromEntries(each),
    NotFound: problem('There is nothing at the path.', nothing, ['Link']),
    Refused: problem(
      'What came is no valid request in HTTP/1.1, or came too slowly, and no path was looked at.',
      { error: 'Only 100-continue can be expected here' },
      ['Allow?'],
    ),
    Preflight: {
      description: 'Pages of every origin may read what is at the path.',
      headers: headers(
        'Access-Control-Allow-Origin',
        'Access-Control-Allow-Methods',
        'Access-Control-Allow-Headers',
        'Access-Control-Max-Age',
      ),
    },
    MethodNotAllowed: problem('The path does not take the method.', other, ['Allow', 'Link']),
  }
}
