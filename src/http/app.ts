import { type Context, Hono } from 'hono'
import type { Log } from '../core/log.ts'
import { Problem } from '../core/problem.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Store } from '../store/store.ts'
import type { Asking } from '../stripe/asking.ts'
import { NO_STORE, type Resource, toResponse } from './answer.ts'
import type { Arrivals } from './arrivals.ts'
import { clientAddress } from './client-address.ts'
import { description } from './description.ts'
import { createDoctor, type HostFacts } from './doctor.ts'
import { eventResource } from './event-resource.ts'
import { createEvents, type EventsOptions } from './events.ts'
import { createHistory } from './history.ts'
import { preflight } from './preflight.ts'
import { createSchedule } from './schedule.ts'
import type { Share } from './share.ts'
import { ASSETS, readerOf, type Site } from './site.ts'
import { type Streams, streamResponse } from './stream.ts'
import type { Webhooks } from './webhooks.ts'

export interface AppOptions extends EventsOptions {
  store: Store
  share: Share
  streams: Streams
  webhooks: Webhooks
  /** Asks Stripe about coupons, if there is a key. */
  asking?: Asking | undefined
  /** The metrics of the host, in the text format of Prometheus. Without it there is no such route. */
  metrics?: (() => Promise<string>) | undefined
  /** Tells services apart, for commands that hold the secret of one. */
  serviceId?: string | undefined
  /** What is served beside the API. Without it there are no such routes. */
  site?: Site | undefined
  /** What the host knows of itself, for `placard doctor`. */
  host?: (() => HostFacts) | undefined
  /** Whether notifications can be verified. */
  notifications: boolean
  arrivals: Arrivals
  /** Takes secrets out of a text. */
  conceal(text: string): string
  log: Log
  /** How many trusted proxies stand in front (contract A2). */
  trustProxy: number
}

/** What the runtime knows about a request that the request itself doesn't say. */
export interface RequestInfo {
  /** The peer's address. */
  address?: string | undefined
  /** Ends the connection at once, even if something is still to be sent. */
  hangUp?: (() => void) | undefined
}

/** What is known of a request while it is answered. */
export interface Call {
  requestId: string
  /** Says why it is answered with an error, for the log. */
  failed(problem: Problem): void
}

type Env = { Bindings: RequestInfo & Call }
type Handler = (c: Context<Env>) => Response | Promise<Response>

const DESCRIPTION = '/api/openapi.json'
/** Folders to leave on the way to it: a header of more than 4 KiB is too much for some proxies. */
const MAX_DEPTH = 100
const NO_STREAM = { ...NO_STORE, 'Access-Control-Allow-Origin': '*' }
/** What pages of every origin may read: a GET of it says so (contract R2). */
const READABLE = new Set([
  '/api/events',
  '/api/events/stream',
  DESCRIPTION,
  '/embed.html',
  ...ASSETS.map((name) => `/${name}`),
])
/** What machines ask past the proxy, so it says nothing about visitors. */
const PROBES = new Set(['/healthz', '/readyz'])

/**
 * Tells a program that asked for what isn't there where to look (RFC 8631). Relative to what it asked for, because a host
 * may have taken the front of that path off.
 */
function described(path: string): { Link: string } {
  const depth = Math.min(path.split('/').length - 2, MAX_DEPTH)
  return { Link: `<${'../'.repeat(depth)}${DESCRIPTION.slice(1)}>; rel="service-desc"` }
}

/** Every route, in order. */
export function createApp(options: AppOptions): Hono<Env> {
  const { store, showing, streams, webhooks, asking, commands, guard } = options
  const { metrics, serviceId, site, arrivals, trustProxy, share } = options
  const app = new Hono<Env>()
  const events = createEvents(options)
  const schedule = createSchedule(options)
  const history = createHistory(options)
  const doctor = createDoctor(options)
  let ping: Promise<void> | undefined

  const addressOf = (c: Context<Env>) =>
    clientAddress(c.env.address ?? '', c.req.header('x-forwarded-for') ?? null, trustProxy)

  route('/api/events', {
    GET: (c) => show(c.req.raw, eventResource),
    POST: (c) => events.publish(c.req.raw, addressOf(c)),
    DELETE: (c) => events.withdraw(c.req.raw, addressOf(c)),
  })
  route('/api/events/stream', {
    GET: async (c) =>
      store.watch
        ? streamResponse(
            streams,
            await showing.read(),
            c.req.raw.method,
            addressOf(c),
            c.env.hangUp,
          )
        : // A browser doesn't ask again after a 204.
          new Response(null, { status: 204, headers: NO_STREAM }),
  })
  route('/api/events/scheduled', {
    GET: (c) => schedule.scheduled(c.req.raw, addressOf(c)),
  })
  route('/api/events/slots', { GET: (c) => schedule.slots(c.req.raw, addressOf(c)) })
  route('/api/events/history', { GET: (c) => history.read(c.req.raw, addressOf(c)) })
  route('/api/events/undo', { POST: (c) => history.undo(c.req.raw, addressOf(c)) })

  const tick: Handler = (c) =>
    guard.read(c.req.raw, addressOf(c), async () => {
      // Stripe is asked even if a cache can't be purged.
      await commands.recordTransitions().finally(() => asking?.tick())
      return Response.json({ message: 'Done.', ok: true }, { headers: NO_STORE })
    })
  // Some platforms' cron can send nothing but a GET.
  route('/api/events/tick', { GET: tick, POST: tick })

  // After all paths that are longer words than an id.
  route('/api/events/:id', {
    PUT: (c) => events.edit(c.req.raw, addressOf(c), c.req.param('id') ?? ''),
  })

  route('/api/webhooks', { POST: (c) => webhooks.receive(c.req.raw, addressOf(c)) })

  route(DESCRIPTION, { GET: async (c) => toResponse(await description(), c.req.raw) })
  route('/api/doctor', { GET: (c) => doctor.read(c.req.raw, addressOf(c)) })

  route('/healthz', {
    GET: () => Response.json({ ok: true, id: serviceId }, { headers: NO_STORE }),
  })
  route('/readyz', {
    GET: async () => {
      await databaseAnswers()
      return Response.json({ ok: true }, { headers: NO_STORE })
    },
  })
  if (metrics) {
    route('/metrics', {
      GET: (c) =>
        guard.read(c.req.raw, addressOf(c), async () => {
          const type = 'text/plain; version=0.0.4'
          const headers = { 'Content-Type': type, ...NO_STORE }
          return new Response(await metrics(), { headers })
        }),
    })
  }
  if (site) {
    const { page } = site
    if (page) {
      route('/', {
        GET: ({ req: { raw } }) => show(raw, (snapshot) => page(snapshot, readerOf(raw))),
      })
    }
    route('/embed.html', {
      GET: ({ req: { raw } }) => show(raw, (snapshot) => site.fragment(snapshot, readerOf(raw))),
    })
    for (const name of ASSETS) {
      route(`/${name}`, { GET: ({ req: { raw } }) => toResponse(site.asset(name), raw) })
    }
  }

  /** Answers with what shows now (spec 4.2, contract R1 to R3, R13). */
  async function show(request: Request, resourceOf: (snapshot: Snapshot) => Resource) {
    const snapshot = await showing.read()
    return toResponse(share(resourceOf(snapshot), snapshot), request)
  }

  /**
   * All who wait share one ping. So however many ask, the database has only one statement more to run. A ping that began
   * earlier will do, because its answer is still to come.
   */
  function databaseAnswers(): Promise<void> {
    ping ??= store.ping().finally(() => {
      ping = undefined
    })
    return ping
  }

  /** Adds a path with its methods. Any other method is answered 405, but for a preflight (contract R5). */
  function route(
    path: string,
    methods: Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Handler>>,
  ) {
    for (const [method, handler] of Object.entries(methods)) {
      app.on(method, path, (c) => {
        const { env, req } = c
        if (!PROBES.has(path)) {
          const header = (name: string) => req.header(name) ?? null
          arrivals.note(header, env.address ?? '', req.query('doctor'))
        }
        return handler(c)
      })
    }
    const allow = Object.keys(methods).join(', ').replace('GET', 'GET, HEAD')
    app.all(path, (c) => {
      const permission = READABLE.has(path) && preflight(c.req.raw)
      if (permission) return permission
      const message = `${c.req.method} is not allowed here; use ${allow}`
      const headers = { Allow: allow, ...described(c.req.path) }
      return new Problem('method_not_allowed', message, { headers }).toResponse()
    })
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
