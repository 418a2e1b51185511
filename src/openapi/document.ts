import manifest from '../../package.json' with { type: 'json' }
import { componentResponses } from './answers.ts'
import { SCHEMAS } from './bodies.ts'
import { refTo, toComponents } from './component.ts'
import { events } from './events.ts'
import { HEADERS } from './headers.ts'
import { owners } from './owners.ts'
import { service } from './service.ts'

const DESCRIPTION = `One announcement of each type, and the most recent shows.

Bodies are JSON in UTF-8. \`HEAD\` is answered as \`GET\`, without the body. A path that isn't here is answered 404
(\`NotFound\`), and a method that a path doesn't take is answered 405 (\`MethodNotAllowed\`). A preflight of CORS
(\`OPTIONS\` with \`Origin\` and \`Access-Control-Request-Method: GET\` or \`HEAD\`) for what pages of every origin may read is
answered 204 (\`Preflight\`). What is no valid request in
HTTP/1.1 is answered before any path is looked at: 400, 408, 413, 417 or 431 (\`Refused\`).`

type Paths = Record<string, Record<string, { responses: object }>>

/** With what every operation may be answered before it is looked at. */
function refusable(paths: Paths): Paths {
  const answer = refTo('responses', 'Refused')
  const all = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, { responses, ...rest }]) => {
      return [method, { ...rest, responses: { ...responses, default: answer } }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return Object.fromEntries(all)
}

/** The API as an OpenAPI document (contract R11). What requests have to be is made from the schemas that check them. */
export function openApiDocument() {
  const paths = refusable({ ...events, ...owners, ...service })
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
    // Relative to this document, so that it is right below every path that a host mounts the service at.
    servers: [{ url: '..' }],
    paths,
    components: {
      schemas: toComponents(SCHEMAS),
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
