import { type Context, Hono } from 'hono'
import { describeError, type Log } from '../log.ts'
import { Problem } from '../problem.ts'
import type { Store } from '../store/store.ts'
import { clientAddress } from './client-address.ts'
import { createEvents, type EventsOptions } from './events.ts'
import { type Streams, streamResponse } from './stream.ts'
import { createWebhooks, type WebhooksOptions } from './webhooks.ts'

export interface AppOptions extends EventsOptions, WebhooksOptions {
  store: Store
  streams: Streams
  /** The numbers of the host, in the text format of Prometheus; without it there is no such route. */
  metrics?: (() => Promise<string>) | undefined
  log: Log
  /** How many trusted proxies stand in front (contract A2). */
  trustProxy: number
}

/** What the runtime knows of a request beside the request. */
export interface RequestInfo {
  /** The peer's address. */
  address?: string | undefined
}

type Env = { Bindings: RequestInfo & { requestId: string } }

/** Every route, in order. */
export function createApp(options: AppOptions): Hono<Env> {
  const { store, showing, streams, guard, metrics, log, trustProxy } = options
  const app = new Hono<Env>()
  const events = createEvents(options)
  const receive = createWebhooks(options)

  const addressOf = (c: Context<Env>) =>
    clientAddress(c.env.address ?? '', c.req.header('x-forwarded-for') ?? null, trustProxy)

  app.get('/api/events', (c) => events.read(c.req.raw))
  app.post('/api/events', (c) => events.publish(c.req.raw, addressOf(c)))
  app.delete('/api/events', (c) => events.withdraw(c.req.raw, addressOf(c)))
  app.all('/api/events', only('GET, HEAD, POST, DELETE'))

  app.get('/api/events/stream', async (c) =>
    streamResponse(streams, await showing.read(), c.req.raw.method),
  )
  app.all('/api/events/stream', only('GET, HEAD'))

  app.post('/api/webhooks', (c) => receive(c.req.raw))
  app.all('/api/webhooks', only('POST'))

  app.get('/healthz', () => Response.json({ ok: true }))
  app.all('/healthz', only('GET, HEAD'))
  app.get('/readyz', async () => {
    await store.ping()
    return Response.json({ ok: true })
  })
  app.all('/readyz', only('GET, HEAD'))

  if (metrics) {
    app.get('/metrics', (c) =>
      guard(c.req.raw, addressOf(c), async () => {
        const headers = { 'Content-Type': 'text/plain; version=0.0.4', 'Cache-Control': 'no-store' }
        return new Response(await metrics(), { headers })
      }),
    )
    app.all('/metrics', only('GET, HEAD'))
  }

  app.notFound(() => new Problem('not_found', 'There is nothing at this path').toResponse())
  app.onError((error, c) => {
    const problem = Problem.from(error)
    if (problem.status >= 500) {
      const { method } = c.req
      log.error(
        { error: describeError(problem), requestId: c.env.requestId, method },
        problem.message,
      )
    }
    return problem.toResponse()
  })
  return app
}

function only(allow: string) {
  return (c: Context): Response =>
    new Problem('method_not_allowed', `${c.req.method} is not allowed here; use ${allow}`, {
      headers: { Allow: allow },
    }).toResponse()
}
