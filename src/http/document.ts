import manifest from '../../package.json' with { type: 'json' }
import {
  componentResponses,
  HEADERS,
  type HeaderNames,
  headers,
  LIMITS,
  type ProblemStatus,
  problemRef,
  refTo,
} from './components.ts'
import type { Operation, Row } from './route.ts'
import { type SchemaName, schemaComponents } from './schemas.ts'

const DESCRIPTION = `One announcement of each type, and the most recent shows.

Bodies are JSON in UTF-8. \`HEAD\` is answered as \`GET\`, without the body. A path that isn't here is answered 404
(\`NotFound\`), and a method that a path doesn't take is answered 405 (\`MethodNotAllowed\`). A preflight of CORS
(\`OPTIONS\` with \`Origin\` and \`Access-Control-Request-Method: GET\` or \`HEAD\`) for what pages of every origin may read is
answered 204 (\`Preflight\`). What is no valid request in
HTTP/1.1 is answered before any path is looked at: 400, 408, 413, 417 or 431 (\`Refused\`).`

const SECURITY = {
  open: [],
  read: [{ bearer: [] }],
  write: [{ bearer: [] }],
  signed: [{ signature: [] }],
}

/** The errors that any request may get, by guard. */
const PROBLEMS: Record<Row<never>['guard'], readonly ProblemStatus[]> = {
  open: [503],
  read: [401, 429, 500, 503],
  write: [400, 401, 413, 415, 429, 500, 503],
  signed: [400, 413, 500, 503],
}

const REQUEST_HEADERS = {
  'If-None-Match':
    'The `ETag` of the answer that you have: if nothing has changed, this one is 304.',
  'If-Match':
    'The `ETag` of `GET /api/events`: the write is made only if that is still what shows.',
  'Placard-Actor':
    'Who writes, for the history: 1 to 64 printable characters, percent-encoded if not ASCII.',
}

/**
 * The OpenAPI document (contract R11), made from the routes and from the schemas that check requests.
 *
 * @param server the address of the service, or its path relative to the document
 */
export function openApiDocument(routes: readonly Row<never>[], server: string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const { operationId, summary, answers } = route
    if (!operationId || !summary || !answers) continue
    const operation = toOperation({ ...route, operationId, summary, answers })
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const used = JSON.stringify(paths)
  const responses = Object.entries(componentResponses()).filter(
    ([name]) => /^(NotFound|MethodNotAllowed|Preflight)$/.test(name) || used.includes(`/${name}"`),
  )
  return {
    openapi: '3.1.1',
    info: {
      title: 'Placard',
      version: manifest.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    paths,
    components: {
      schemas: schemaComponents(),
      headers: HEADERS,
      responses: Object.fromEntries(responses),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'One of `EVENT_API_SECRET`.' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Stripe-Signature',
          description: "Stripe's signature over the body, made with `STRIPE_WEBHOOK_SECRET`.",
        },
      },
    },
  }
}

function toOperation(route: Row<never> & Operation) {
  const { guard, readable, conditional, body, answers, problems = [], authored } = route
  const { operationId, summary, description } = route
  const isWrite = guard === 'write'
  const always: HeaderNames = [
    'Cache-Control',
    ...(readable ? (['Access-Control-Allow-Origin'] as const) : []),
    ...(conditional ? (['ETag', 'X-Content-Type-Options'] as const) : []),
    ...(isWrite ? LIMITS : []),
  ]
  const statuses = [...PROBLEMS[guard], ...problems, ...(authored ? ([412] as const) : [])]
  return {
    operationId,
    summary,
    description,
    security: SECURITY[guard],
    parameters: parametersOf(route),
    requestBody: body && {
      required: !body.endsWith('?'),
      content: contentOf(body.replace('?', '')),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, [description, body, more = []]]) => [
          status,
          { description, headers: headers(...always, ...more), content: body && contentOf(body) },
        ]),
      ),
      ...(conditional && {
        304: {
          description: 'It is still what you have.',
          headers: headers(...always, ...(answers[200]?.[2] ?? [])),
        },
      }),
      ...Object.fromEntries(statuses.map((status) => [status, problemRef(status, isWrite)])),
      // Any request may be refused before its path is known.
      default: refTo('responses', 'Refused'),
    },
  }
}

/** A text, or JSON with one or several of the named schemas. */
function contentOf(body: string | readonly string[]) {
  const [name = '', ...others] = typeof body === 'string' ? [body] : body
  if (name.startsWith('text/')) return { [name]: { schema: { type: 'string' } } }
  const refs = [name, ...others].map((one) => refTo('schemas', one))
  const schema = others.length > 0 ? { oneOf: refs } : refs[0]
  return { 'application/json': { schema, example: EXAMPLES[name as SchemaName] } }
}

function parametersOf({ path, query = {}, conditional, authored }: Row<never>) {
  const text = { type: 'string' }
  const names = [
    ...(conditional ? (['If-None-Match'] as const) : []),
    ...(authored ? (['If-Match', 'Placard-Actor'] as const) : []),
  ]
  return [
    ...(path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: text }] : []),
    ...names.map((name) => ({
      ...{ name, in: 'header', description: REQUEST_HEADERS[name], schema: text },
    })),
    ...Object.entries(query).map(([name, one]) => {
      const said = typeof one === 'string' ? { description: one, schema: text } : one
      return { name, in: 'query', ...said }
    }),
  ]
}

const draft = {
  text: '25% off until Monday',
  type: 'coupon',
  slug: '#coupon',
  icon: 'ticket-percent',
}
const id = '2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11'
const published = { id, ...draft, timestamp: '1795242756738' }
const scheduled = { id, ...draft, startsAt: '1798794000000', expiresAt: '1799053200000' }
const entry = {
  id: '17',
  at: published.timestamp,
  action: 'published',
  by: { via: 'api', name: 'Ada' },
  before: null,
  after: published,
  undo: 'possible',
}

/** Examples of bodies for the OpenAPI document. */
export const EXAMPLES: Partial<Record<SchemaName, unknown>> = {
  Draft: draft,
  Selector: { type: 'coupon' },
  Undo: { id: '17' },
  LinkFor: { name: 'Anna' },
  Showing: { event: published },
  Saved: { message: 'Event saved; it replaces any previous coupon event.', ok: true },
  Deleted: { message: 'Event deleted.', ok: true, deleted: 1 },
  Done: { message: 'Done.', ok: true },
  Slots: { events: [published] },
  Schedule: { events: [scheduled] },
  History: { entries: [entry], next: '17' },
  Undone: { message: 'Undone.', ok: true, entry: '18' },
  Link: { url: 'https://placard.example/admin#2mHqYw0V', expiresAt: '1795243356738' },
  Receipt: { received: true, outcome: 'published' },
  Health: { ok: true, id: '6a0c3ad0-3a63-4b0c-9e64-5b0b6b6fd0b3' },
  Ready: { ok: true },
  Description: { openapi: '3.1.1' },
  Facts: {
    now: '1795242760000',
    database: { kind: 'sqlite', file: '/var/lib/placard/placard.db', journalMode: 'wal' },
    hearing: true,
    background: true,
    streams: { open: 12, max: 10_000 },
    proxy: { trusted: 1, all: 250, forwarded: 250 },
    notifications: true,
    stripe: null,
    page: true,
  },
}
