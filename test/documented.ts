import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { ROUTES } from '../src/http/app.ts'
import { LINK_ROUTE } from '../src/http/links.ts'
import { openApiDocument } from '../src/http/openapi-document.ts'
import type { Mount } from './harness.ts'

type Json = Record<string, unknown>
interface Described {
  headers?: Record<string, Json>
  content?: Record<string, { schema: Json }>
}
export interface Operation {
  operationId: string
  summary: string
  parameters?: { name: string }[]
  security: Json[]
  requestBody?: Described
  responses: Record<string, Json>
}

/** The statuses that the server sends before it looks at the path. */
export const REFUSALS = ['408', '417', '431']

/** The OpenAPI document, as a program gets it. */
export const DOCUMENT = JSON.parse(
  JSON.stringify(openApiDocument([...ROUTES, LINK_ROUTE], '..')),
) as {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Json>; schemas: Record<string, Json> }
}

/** The statuses that an operation names. Every response to it must have one of them, except for refusals. */
export const statusesOf = ({ responses }: Pick<Operation, 'responses'>) =>
  Object.keys(responses).filter((status) => status !== 'default')

/** Each operation with its method and path. */
export const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, ...operation })),
)

const ROOT = 'https://placard.test/openapi.json'
const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
formats.default(ajv)
ajv.addVocabulary(Object.keys(DOCUMENT))
// Later versions may send clients more. Everything that is sent today is described.
const closed = JSON.parse(JSON.stringify(DOCUMENT), (_, value) =>
  value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
)
ajv.addSchema({ $id: ROOT, ...closed }, ROOT, false, false)

const validators = new Map<string, ValidateFunction>()

/** What is wrong with a value by a schema of the document, with one line for each fault. */
export function faultsIn(value: unknown, schema: Json): string[] {
  const key = JSON.stringify(schema)
  const absolute = JSON.parse(key.replaceAll('"#/', `"${ROOT}#/`))
  const validate = validators.get(key) ?? ajv.compile(absolute)
  validators.set(key, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath} ${message} ${JSON.stringify(params)}`.trim()
  })
}

/** Resolves a reference. */
export function resolved<T>(node: T): T {
  const { $ref } = node as { $ref?: string }
  if ($ref === undefined) return node
  const keys = $ref.slice(2).split('/')
  return keys.reduce<unknown>((part, key) => (part as Json)[key], DOCUMENT) as T
}

/** Headers that servers add, including Next's. */
const OF_TRANSPORT =
  /^(content-(type|length)|date|connection|keep-alive|transfer-encoding|vary|x-(powered-by|nextjs-.*))$/

/** A mount whose responses must all match the document (contract R11). */
export function documented<M extends Mount>(
  mount: M,
  seen: (operation: string, status: number) => void = () => {},
): M {
  return {
    ...mount,
    async fetch(path: string, init: RequestInit = {}) {
      const response = await mount.fetch(path, init)
      const { method = 'GET' } = init
      const isRead = response.ok || response.status === 304
      // Next's own errors and redirects have no id.
      if (mount.inNext && !isRead && !response.headers.has('x-request-id')) return response
      const faults = await faultsOf(method, path.split('?')[0] as string, init, response)
      if (faults.length === 0) {
        seen(operationOf(method, path.split('?')[0] as string)?.operationId ?? '', response.status)
        return response
      }
      throw new Error(
        [`${method} ${path} ${response.status} is not as documented:`, ...faults].join('\n  '),
      )
    },
  }
}

function itemOf(path: string): Record<string, Operation> | undefined {
  const pattern = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
  return (
    DOCUMENT.paths[path] ??
    Object.entries(DOCUMENT.paths).find(([template]) => pattern(template).test(path))?.[1]
  )
}

const operationOf = (method: string, path: string) =>
  itemOf(path)?.[method === 'HEAD' ? 'get' : method.toLowerCase()]

/** The response that is documented for a request, if there is one. */
function promised(method: string, path: string, status: number): Described | undefined {
  const { NotFound, MethodNotAllowed, Preflight } = DOCUMENT.components.responses
  const operation = operationOf(method, path)
  const answer = operation
    ? operation.responses[status]
    : itemOf(path)
      ? (status === 405 && MethodNotAllowed) ||
        (method === 'OPTIONS' && status === 204 && Preflight)
      : status === 404 && NotFound
  return answer ? resolved(answer as Described) : undefined
}

async function faultsOf(
  method: string,
  path: string,
  { body }: RequestInit,
  response: Response,
): Promise<string[]> {
  const { status } = response
  const answer = promised(method, path, status)
  if (!answer) return ['there is no such answer']
  const faults = await faultsAgainst(answer, response, method)
  const asked = operationOf(method, path)?.requestBody?.content?.['application/json']
  if (asked && status < 300 && body) faults.push(...faultsInRequest(body, asked.schema))
  return faults
}

/** How a response differs from its description. */
export async function faultsAgainst(
  answer: Described,
  response: Response,
  method = 'GET',
): Promise<string[]> {
  const { headers } = response
  const faults: string[] = []
  const names = Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase())
  for (const name of headers.keys()) {
    if (!names.includes(name) && !OF_TRANSPORT.test(name)) faults.push(`${name}: not documented`)
  }
  for (const [name, given] of Object.entries(answer.headers ?? {})) {
    const { required, schema } = resolved(given) as { required: boolean; schema: Json }
    const value = headers.get(name)
    if (value !== null) faults.push(...faultsIn(value, schema).map((it) => `${name}: ${it}`))
    else if (required) faults.push(`${name}: missing`)
  }
  if (method === 'HEAD') return faults

  const type = headers.get('content-type')?.split(';')[0]
  const content = type === undefined ? undefined : answer.content?.[type]
  if (answer.content && !content) faults.push(`the body is ${type}`)
  else if (!answer.content && (await response.clone().text()) !== '') faults.push('there is a body')
  else if (content && type === 'application/json') {
    faults.push(...faultsIn(await response.clone().json(), content.schema))
  }
  return faults
}

/** An accepted body must be one that the document says is accepted. */
function faultsInRequest(body: unknown, schema: Json): string[] {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
  if (typeof text !== 'string') return []
  return faultsIn(JSON.parse(text), schema).map((fault) => `accepted, but the body ${fault}`)
}
