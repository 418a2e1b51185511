import { json, problems } from './answers.ts'
import { refTo } from './component.ts'
import { type HeaderNames, headers } from './headers.ts'
import { IF_NONE_MATCH, OPEN } from './parameters.ts'

const CACHED: HeaderNames = [
  'ETag',
  'Cache-Control',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
]

/** What programs ask the service itself, and what Stripe tells it (contract W1, W2, R10, R11). */
export const service = {
  '/api/webhooks': {
    post: {
      operationId: 'receiveNotification',
      summary: "Takes Stripe's notifications",
      security: [{ signature: [] }],
      requestBody: {
        required: true,
        description: "Stripe's event, at most 256 KiB. Whatever is signed is answered 200.",
        content: { 'application/json': { schema: {} } },
      },
      responses: {
        200: json(
          'It has had its effect, now or the first time.',
          refTo('schemas', 'Receipt'),
          { received: true, outcome: 'published' },
          ['Cache-Control'],
        ),
        ...problems(400, 413, 503),
      },
    },
  },
  '/api/openapi.json': {
    get: {
      operationId: 'readDescription',
      summary: 'This document',
      security: OPEN,
      parameters: [IF_NONE_MATCH],
      responses: {
        200: json('OpenAPI 3.1.', { type: 'object' }, { openapi: '3.1.1' }, CACHED),
        304: { description: 'It is still what you have.', headers: headers(...CACHED) },
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'readHealth',
      summary: 'Whether the process is alive',
      security: OPEN,
      responses: {
        200: json(
          'It is. The id tells services apart; a service on Postgres has none.',
          refTo('schemas', 'Health'),
          { ok: true, id: '6a0c3ad0-3a63-4b0c-9e64-5b0b6b6fd0b3' },
          ['Cache-Control'],
        ),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readReadiness',
      summary: 'Whether the database answers',
      security: OPEN,
      responses: {
        200: json('It does.', refTo('schemas', 'Ready'), { ok: true }, ['Cache-Control']),
        ...problems(503),
      },
    },
  },
}
