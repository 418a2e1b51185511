import { body, json, LIMITS, problems, writeProblems } from './answers.ts'
import { refTo } from './component.ts'
import { DRAFT, STANDING } from './examples.ts'
import { type HeaderNames, headers } from './headers.ts'
import { AUTHOR, BEARER, IF_NONE_MATCH, OPEN, query } from './parameters.ts'

/** What everybody may read is for caches too (contract R2). */
const CACHED: HeaderNames = [
  'ETag',
  'Cache-Control',
  'Cache-Tag',
  'Surrogate-Key',
  'Cache-Groups',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
  'CDN-Cache-Control',
  'Surrogate-Control',
  'Placard-Stale',
]

const SAVED: HeaderNames = ['Cache-Control', 'Placard-Event-Id', 'Placard-Warning', ...LIMITS]
const saved = {
  201: json(
    'It is up, or scheduled.',
    refTo('schemas', 'Saved'),
    { message: 'Event saved; it replaces any previous coupon event.', ok: true },
    SAVED,
  ),
}

/** What shows, and what puts it up and takes it down (contract A1 to A17, R1 to R4). */
export const events = {
  '/api/events': {
    get: {
      operationId: 'readEvent',
      summary: 'What is showing now',
      security: OPEN,
      parameters: [IF_NONE_MATCH],
      responses: {
        200: json(
          'The most recent announcement that has not ended.',
          refTo('schemas', 'Showing'),
          { event: STANDING },
          CACHED,
        ),
        304: { description: 'It is still what you have.', headers: headers(...CACHED) },
        ...problems(503),
      },
    },
    post: {
      operationId: 'publishEvent',
      summary: 'Puts an announcement up, or schedules it',
      security: BEARER,
      parameters: AUTHOR,
      requestBody: body('Draft', DRAFT),
      responses: { ...saved, ...writeProblems(400, 401, 412, 413, 415, 429, 503) },
    },
    delete: {
      operationId: 'deleteEvents',
      summary: 'Takes announcements down, by type or by id',
      description: 'What to take down is named in either the body or the query.',
      security: BEARER,
      parameters: [...AUTHOR, query('type', 'As in the body.'), query('id', 'As in the body.')],
      requestBody: body('Selector', { type: 'coupon' }, false),
      responses: {
        200: json(
          'It is gone. `deleted` is 0 if nothing was there.',
          refTo('schemas', 'Deleted'),
          { message: 'Event deleted.', ok: true, deleted: 1 },
          ['Cache-Control', ...LIMITS],
        ),
        ...writeProblems(400, 401, 412, 413, 415, 429, 503),
      },
    },
  },
  '/api/events/stream': {
    get: {
      operationId: 'followEvent',
      summary: 'What is showing now, and then each change, as server-sent events',
      description:
        'In each message, `data` is the body of `GET /api/events`, and `id` is its ETag.',
      security: OPEN,
      responses: {
        200: {
          description: 'It goes on until the reader leaves. An event `alive` follows every 15 s.',
          headers: headers(
            'Cache-Control',
            'Access-Control-Allow-Origin',
            'X-Content-Type-Options',
            'X-Accel-Buffering',
            'Placard-Stale',
          ),
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        204: {
          description: 'No process stays alive here to follow. Read now and then instead.',
          headers: headers('Cache-Control', 'Access-Control-Allow-Origin'),
        },
        ...problems(503),
      },
    },
  },
  '/api/events/{id}': {
    put: {
      operationId: 'editEvent',
      summary: 'Replaces what is published or scheduled, in its place',
      security: BEARER,
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        ...AUTHOR,
      ],
      requestBody: body('Draft', DRAFT),
      responses: {
        200: json(
          'It shows as it is now, at once or from its start on.',
          refTo('schemas', 'Saved'),
          { message: 'Event edited.', ok: true },
          SAVED,
        ),
        ...writeProblems(400, 401, 404, 412, 413, 415, 429, 503),
      },
    },
  },
}
