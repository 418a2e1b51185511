import { type Context, Hono } from 'hono'
import { Problem } from '../core/problem.ts'
import { clientAddress } from './arrivals.ts'
import { DESCRIPTION_PATH, descriptionRoutes } from './description.ts'
import { doctorRoutes } from './doctor.ts'
import { eventRoutes } from './events.ts'
import { historyRoutes } from './history.ts'
import { linkRoutes } from './links.ts'
import { type Call, type RequestInfo, type Row, rowsOf } from './route.ts'
import { scheduleRoutes } from './schedule.ts'
import type { Service } from './service.ts'
import { siteRoutes } from './site.ts'
import { streamRoutes } from './stream-route.ts'
import { upkeepRoutes } from './upkeep.ts'
import { webhookRoutes } from './webhooks.ts'

/** Every route. The router, `Allow`, preflights, metrics and the OpenAPI document come from this table. */
export const ROUTES: readonly Row<Service>[] = rowsOf<Service>({
  ...eventRoutes,
  ...streamRoutes,
  ...scheduleRoutes,
  ...historyRoutes,
  ...webhookRoutes,
  ...doctorRoutes,
  ...upkeepRoutes,
  ...descriptionRoutes(() => [...ROUTES, ...rowsOf(linkRoutes)]),
  ...siteRoutes,
})

type Env = { Bindings: RequestInfo & Call }

/** The most folders up to the description: some proxies refuse a header of more than 4 KiB. */
const MAX_DEPTH = 100

/**
 * Points a program that got a 404 to the description (RFC 8631). The address is relative, because a host may have
 * removed the front of the path.
 */
function described(path: string): { Link: string } {
  const depth = Math.min(path.split('/').length - 2, MAX_DEPTH)
  return { Link: `<${'../'.repeat(depth)}${DESCRIPTION_PATH.slice(1)}>; rel="service-desc"` }
}

/** Routes the requests of a service. */
export function createApp(service: Service): Hono<Env> {
  const { guard, arrivals, trustProxy } = service
  const app = new Hono<Env>()
  const existing = ROUTES.filter(({ exists }) => exists?.(service) ?? true)
  // A template would also match a literal path, so templates come last.
  const paths = [...new Set(existing.map(({ path }) => path))].toSorted(
    (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
  )
  for (const path of paths) {
    const routes = existing.filter((route) => route.path === path)
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    for (const route of routes) app.on(route.method, pattern, (c) => answer(c, route))
    app.all(pattern, (c) => refuse(c, routes))
  }

  function answer({ env, req }: Context<Env>, route: Row<Service>) {
    const header = (name: string) => req.header(name) ?? null
    if (!route.probe) arrivals.note(header, req.query('doctor'))
    const address = clientAddress(env.address ?? '', header('x-forwarded-for'), trustProxy)
    const arrival = { request: req.raw, address, id: req.param('id'), hangUp: env.hangUp }
    const handle = async () => route.handle(arrival, service)
    if (route.guard === 'read') return guard.read(req.raw, address, handle)
    if (route.guard === 'write') return guard.write(req.raw, address, handle)
    return handle()
  }

  /** Answers any other method with 405, except for a preflight (contract R5). */
  function refuse({ req }: Context<Env>, routes: readonly Row<Service>[]) {
    const permission = routes.some(({ readable }) => readable) && preflight(req.raw)
    if (permission) return permission
    const methods = routes.map(({ method }) => method)
    const allow = methods.join(', ').replace('GET', 'GET, HEAD')
    const message = `${req.method} is not allowed here; use ${allow}`
    const headers = { Allow: allow, ...described(req.path) }
    return new Problem('method_not_allowed', message, { headers }).toResponse()
  }

  app.notFound((c) =>
    new Problem('not_found', 'There is nothing at this path', {
      headers: described(c.req.path),
    }).toResponse(),
  )
  app.onError((error, c) => {
    const problem = Problem.from(error)
    c.env.failed(problem)
    return problem.toResponse()
  })
  return app
}

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  // What an `EventSource` sends. The headers of a write stay refused, so no page writes across origins.
  'Access-Control-Allow-Headers': 'cache-control, last-event-id',
  'Access-Control-Max-Age': '86400',
}

/**
 * Answers a preflight (contract R5). Chromium sends one for an `EventSource` that a service worker passes on, because
 * it takes the headers of the stream for headers that the page has set.
 *
 * @returns `undefined` if the request isn't a preflight
 */
export function preflight({ method, headers }: Request): Response | undefined {
  const asksToRead =
    method === 'OPTIONS' &&
    headers.has('origin') &&
    /^(GET|HEAD)$/.test(headers.get('access-control-request-method') ?? '')
  return asksToRead ? new Response(null, { status: 204, headers: HEADERS }) : undefined
}
