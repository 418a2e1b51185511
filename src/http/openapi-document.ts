import manifest from '../../package.json' with { type: 'json' }
import {
  HEADERS,
  type HeaderNames,
  headers,
  type ProblemStatus,
  RESPONSES,
  refTo,
} from './openapi-components.ts'
import { schemaComponents } from './openapi-schemas.ts'
import type { Row } from './route.ts'

const DESCRIPTION = `At most one announcement per type is published. The newest announcement that isn't paused is live.

Bodies are JSON in UTF-8, except the stream and the metrics. \`HEAD\` gets \`GET\`'s response without the body. An
unknown path gets 404 (\`NotFound\`), and an unsupported method gets 405 (\`MethodNotAllowed\`). If any origin may read
a path, a CORS preflight (\`OPTIONS\` with \`Origin\` and \`Access-Control-Request-Method: GET\` or \`HEAD\`) gets 204
(\`Preflight\`). On any path, a request gets 400, 408, 413, 417 or 431 (\`Refused\`) if it isn't valid HTTP/1.1, is too
slow, or has an oversized path, headers or chunk extensions, or an \`Expect\` other than \`100-continue\`.`

const SECURITY = {
  open: [],
  read: [{ bearer: [] }],
  write: [{ bearer: [] }],
  signed: [{ signature: [] }],
}

/** The errors that any request may get, by guard. */
const MAY_FAIL: Record<Row['guard'], readonly ProblemStatus[]> = {
  open: [503],
  read: [401, 429, 500, 503],
  write: [400, 401, 413, 415, 429, 500, 503],
  signed: [400, 413, 500, 503],
}

const REQUEST_HEADERS = {
  'If-None-Match': 'The `ETag` of your copy: if nothing has changed, you get 304.',
  'If-Match':
    'The `ETag` of `GET /api/events` or, for `PUT`, of the announcement. If the `ETag` is out of date, you get 412.',
  'Placard-Actor':
    "The author's name for the history: 1 to 64 printable characters, percent-encoded if not ASCII. A secret that begins with a name takes precedence.",
}

type Described = Omit<Row, 'handle'>

/**
 * Generates the OpenAPI document (contract R11) from the routes and from the schemas that validate requests.
 *
 * @param server the address of the service, or its path relative to the document
 */
export function openApiDocument(routes: readonly Described[], server: string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    // Pages and their files aren't part of the API.
    if (!route.operationId) continue
    const { path, method } = route
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(route) }
  }
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
      responses: RESPONSES,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A secret in `EVENT_API_SECRET`.' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Stripe-Signature',
          description: "Stripe's signature of the body, made with `STRIPE_WEBHOOK_SECRET`.",
        },
      },
    },
  }
}

function toOperation(route: Described) {
  const { guard, readable, conditional, body, responses = {}, problems = [], authored } = route
  const { operationId, summary, description, method } = route
  const always: HeaderNames = [
    ...(method === 'GET' ? [] : (['X-Request-Id'] as const)),
    'Cache-Control',
    ...(readable ? (['Access-Control-Allow-Origin'] as const) : []),
    ...(conditional ? (['ETag', 'X-Content-Type-Options'] as const) : []),
    ...(guard === 'write' ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
  ]
  const unchanged = {
    304: ['Your copy is still current.', undefined, responses[200]?.[2]],
  } as const
  const all = { ...responses, ...(conditional && unchanged) }
  const statuses = [...MAY_FAIL[guard], ...problems, ...(authored ? ([412] as const) : [])]
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
        Object.entries(all).map(([status, [description, body, more = []]]) => [
          status,
          { description, headers: headers(...always, ...more), content: body && contentOf(body) },
        ]),
      ),
      ...Object.fromEntries(statuses.map((status) => [status, refTo('responses', status)])),
      // The server may reject any request before routing, so every operation has this response.
      default: refTo('responses', 'Refused'),
    },
  }
}

/** Describes a body: text of the given media type, or JSON that matches one of the named schemas. */
function contentOf(body: string | readonly string[]) {
  const [name = '', ...others] = typeof body === 'string' ? [body] : body
  if (name.startsWith('text/')) return { [name]: { schema: { type: 'string' } } }
  const refs = [name, ...others].map((one) => refTo('schemas', one))
  const schema = others.length > 0 ? { oneOf: refs } : refs[0]
  return { 'application/json': { schema } }
}

function parametersOf({ path, query = {}, conditional, authored }: Described) {
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
