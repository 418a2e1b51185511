import { body, json, LIMITS, problems, writeProblems } from './answers.ts'
import { refTo } from './component.ts'
import { COMING, ENTRY, FACTS, STANDING } from './examples.ts'
import { type HeaderNames, headers } from './headers.ts'
import { AUTHOR, BEARER, query } from './parameters.ts'

const KEPT_BY_NOBODY: HeaderNames = ['Cache-Control']

const tick = (operationId: string) => ({
  operationId,
  summary: 'Does what is due where no process stays alive: for a scheduler of your platform',
  security: BEARER,
  responses: {
    200: json(
      'It is done.',
      refTo('schemas', 'Done'),
      { message: 'Done.', ok: true },
      KEPT_BY_NOBODY,
    ),
    ...problems(401, 429, 503),
  },
})

/** What only those with the secret may see and undo (contract R7 to R9, R12, N3, O1). */
export const owners = {
  '/api/events/slots': {
    get: {
      operationId: 'readSlots',
      summary: 'The event of each type',
      security: BEARER,
      responses: {
        200: json(
          'Newest first. The first one shows, and the others wait behind it.',
          refTo('schemas', 'Slots'),
          { events: [STANDING] },
          KEPT_BY_NOBODY,
        ),
        ...problems(400, 401, 429, 503),
      },
    },
  },
  '/api/events/scheduled': {
    get: {
      operationId: 'readSchedule',
      summary: 'What is to come; or, with `at`, what will be showing then',
      security: BEARER,
      parameters: [
        query('at', 'A time as RFC 3339 with an offset, or in milliseconds since 1970.'),
      ],
      responses: {
        200: json(
          'The schedule, soonest first. With `at`, one announcement as in `GET /api/events`.',
          { oneOf: [refTo('schemas', 'Schedule'), refTo('schemas', 'Showing')] },
          { events: [COMING] },
          KEPT_BY_NOBODY,
        ),
        ...problems(400, 401, 429, 503),
      },
    },
  },
  '/api/events/history': {
    get: {
      operationId: 'readHistory',
      summary: 'What happened, newest first',
      security: BEARER,
      parameters: [
        query('limit', 'How many entries.', {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
        query('before', 'The `next` of the page before.'),
      ],
      responses: {
        200: json(
          'A page of the history.',
          refTo('schemas', 'History'),
          { entries: [ENTRY], next: '17' },
          KEPT_BY_NOBODY,
        ),
        ...problems(400, 401, 429, 503),
      },
    },
  },
  '/api/events/undo': {
    post: {
      operationId: 'undo',
      summary: 'Makes a slot what it was before an entry of the history',
      security: BEARER,
      parameters: AUTHOR,
      requestBody: body('Undo', { id: '17' }, false),
      responses: {
        200: json(
          'It is undone. `entry` is the entry that tells of it.',
          refTo('schemas', 'Undone'),
          { message: 'Undone.', ok: true, entry: '18' },
          [...KEPT_BY_NOBODY, ...LIMITS],
        ),
        ...writeProblems(400, 401, 404, 409, 412, 413, 415, 429, 503),
      },
    },
  },
  '/api/events/tick': { post: tick('tick'), get: tick('tickByGet') },
  '/api/doctor': {
    get: {
      operationId: 'readFacts',
      summary: 'What the service knows of its own health, for `placard doctor`',
      security: BEARER,
      parameters: [
        query('stripe', 'Given, Stripe is asked what the key may do.'),
        query('probe', 'Tells how many proxies `GET /api/events?doctor=` with this value passed.'),
      ],
      responses: {
        200: json('Facts, unjudged.', refTo('schemas', 'Facts'), FACTS, KEPT_BY_NOBODY),
        ...problems(400, 401, 429),
      },
    },
  },
  '/admin/links': {
    post: {
      operationId: 'makeLink',
      summary: 'Makes a link that opens the admin once',
      description: 'The standalone service has the admin here. An app mounts it where it likes.',
      security: BEARER,
      requestBody: body('LinkFor', { name: 'Anna' }, false),
      responses: {
        201: json(
          'The link, and when it is over.',
          refTo('schemas', 'Link'),
          { url: 'https://placard.example/admin#2mHqYw0V', expiresAt: '1795243356738' },
          [...KEPT_BY_NOBODY, ...LIMITS],
        ),
        ...writeProblems(400, 401, 413, 415, 429, 503),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'readMetrics',
      summary: 'Counters, in the text format of Prometheus',
      description: 'A service that is mounted in an app has this only if the app passes it.',
      security: BEARER,
      responses: {
        200: {
          description: 'All counters of the process.',
          headers: headers(...KEPT_BY_NOBODY),
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...problems(401, 429),
      },
    },
  },
}
