import { tryDecodeURI } from 'hono/utils/url'
import { checksum } from '../core/checksum.ts'
import { Problem } from '../core/problem.ts'
import { doctorRoutes } from './doctor.ts'
import { eventRoutes } from './events.ts'
import { historyRoutes } from './history.ts'
import { LINK_ROUTE } from './links.ts'
import { createResource, type Resource, toResponse } from './resource.ts'
import type { Call, RequestInfo, Routes, Row } from './route.ts'
import type { ServiceParts } from './service-parts.ts'
import { siteRoutes } from './site-routes.ts'
import { streamRoutes } from './stream-route.ts'
import { upkeepRoutes } from './upkeep.ts'
import { webhookRoutes } from './webhooks.ts'

/** The path of the OpenAPI document (contract R11). */
const DESCRIPTION_PATH = '/api/openapi.json'

/** The OpenAPI documents, keyed by service address, because one process may run several services. */
const descriptions = new Map<string, Resource>()

async function describe(server: string): Promise<Resource> {
  // Load the module on first use: few clients request the document, and loading the module would delay startup.
  const { openApiDocument } = await import('./openapi-document.ts')
  const text = JSON.stringify(openApiDocument([...ROUTES, LINK_ROUTE], server))
  const resource = createResource(new TextEncoder().encode(text), `"${checksum(text)}"`, {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    // The OpenAPI document changes only with the service's version or settings.
    'Cache-Control': 'public, max-age=3600',
    'Access-Control-Allow-Origin': '*',
  })
  descriptions.set(server, resource)
  return resource
}

const descriptionRoutes: Routes = {
  [`GET ${DESCRIPTION_PATH}`]: {
    guard: 'open',
    readable: true,
    operationId: 'readDescription',
    summary: 'Get the OpenAPI document',
    conditional: true,
    responses: { 200: ['The OpenAPI document.', 'Description'] },
    problems: [500],
    async handle({ request }, { host }) {
      // By default, `servers` is relative to the OpenAPI document, because a host may mount the service below any path.
      const server = host?.().publicUrl ?? '..'
      return toResponse(descriptions.get(server) ?? (await describe(server)), request)
    },
  },
}

/** All routes. The router, `Allow`, preflights, metrics and the OpenAPI document are derived from this table. */
export const ROUTES: readonly Row[] = Object.entries({
  ...eventRoutes,
  ...streamRoutes,
  ...historyRoutes,
  ...webhookRoutes,
  ...doctorRoutes,
  ...upkeepRoutes,
  ...descriptionRoutes,
  ...siteRoutes,
}).map(([name, route]) => {
  const [method = '', path = ''] = name.split(' ')
  return { method, path, ...route }
})

/** Limits the `../` steps in a link to the OpenAPI document, because some proxies reject headers over 4 KiB. */
const MAX_DEPTH = 100

/**
 * Points a client that got a 404 or 405 to the OpenAPI document (RFC 8631). The link is relative, because a host may
 * have stripped a prefix from the path.
 */
function described(path: string): { Link: string } {
  const depth = Math.min(path.split('/').length - 2, MAX_DEPTH)
  return { Link: `<${'../'.repeat(depth)}${DESCRIPTION_PATH.slice(1)}>; rel="service-desc"` }
}

export function createApp(service: ServiceParts) {
  const { guard, addressOf } = service
  const routesAt = Map.groupBy(
    ROUTES.filter(({ exists }) => exists?.(service) ?? true),
    ({ path }) => path,
  )

  async function answer(request: Request, info: RequestInfo & Partial<Call>): Promise<Response> {
    // `/api/%65vents` is the same path as `/api/events`.
    const path = tryDecodeURI(new URL(request.url).pathname)
    const id = path.slice(path.lastIndexOf('/') + 1)
    const routes = routesAt.get(path) ?? (id && routesAt.get(`${path.slice(0, -id.length)}{id}`))
    if (!routes) {
      throw new Problem('not_found', 'There is nothing at this path', { headers: described(path) })
    }
    info.matched?.(routes[0]?.path ?? path)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = routes.find((one) => one.method === method)
    if (!route) return refuse(request, path, routes)
    const forwarded = request.headers.get('x-forwarded-for')
    const address = addressOf({ address: info.address, forwarded })
    const routed = { request, address, id, hangUp: info.hangUp }
    const handle = async (secretName: string | null = null) =>
      route.handle({ ...routed, secretName }, service)
    if (route.guard === 'read') return guard.read(request, address, handle)
    if (route.guard === 'write') return guard.write(request, address, handle)
    return handle()
  }

  return async (request: Request, info: RequestInfo & Partial<Call> = {}): Promise<Response> => {
    const response = await answer(request, info).catch((error) => {
      const problem = Problem.from(error)
      info.failed?.(problem)
      return problem.toResponse()
    })
    return request.method === 'HEAD' ? new Response(null, response) : response
  }
}

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  // An `EventSource` sends these headers. A write's headers aren't allowed, so no page can write across origins.
  'Access-Control-Allow-Headers': 'cache-control, last-event-id',
  'Access-Control-Max-Age': '86400',
}

/**
 * Answers a preflight for a read that pages of any origin may make, and throws a 405 otherwise (contract R5). Chromium
 * sends a preflight when a service worker forwards the request of an `EventSource`, as if the page itself had set that
 * request's headers.
 */
function refuse({ method, headers }: Request, path: string, routes: readonly Row[]): Response {
  const asksToRead =
    method === 'OPTIONS' &&
    headers.has('origin') &&
    /^(GET|HEAD)$/.test(headers.get('access-control-request-method') ?? '')
  if (asksToRead && routes.some(({ readable }) => readable)) {
    return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS })
  }
  const allow = routes.map(({ method }) => method.replace('GET', 'GET, HEAD')).join(', ')
  throw new Problem('method_not_allowed', `${method} is not allowed here; use ${allow}`, {
    headers: { Allow: allow, ...described(path) },
  })
}
