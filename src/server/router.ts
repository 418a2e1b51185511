import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { requestIdOf } from '../http/request-id.ts'
import { describeError } from '../log.ts'
import type { Documents } from '../page/documents.ts'
import type { Locales } from '../page/locales.ts'
import { createSite } from '../page/site.ts'
import type { Placard } from '../placard.ts'
import { Problem } from '../problem.ts'

/** When to load what the router needs, if no request has asked for it by then. */
const SOON_MS = 1_000

/**
 * The long way, for all that isn't answered from memory: pages, then the API. It works on the runtime's `Request`,
 * which takes 50 ms to load, a quarter of a start: so it is loaded when it is needed, or a little later.
 */
export function createRouter(
  placard: Placard,
  locales: Locales,
  documents: Documents,
  log: Logger,
): RequestListener {
  const app = createSite(placard, locales, documents)
  app.all('*', (c) => {
    const { incoming } = c.env as { incoming?: { socket: { remoteAddress?: string } } }
    return placard.fetch(c.req.raw, { address: incoming?.socket.remoteAddress })
  })
  app.onError((error) => {
    log.error({ error: describeError(error) }, 'could not render a page')
    return Problem.from(error).toResponse()
  })

  async function load(): Promise<RequestListener> {
    const { getRequestListener } = await import('@hono/node-server')
    return getRequestListener(
      async (request, env) => {
        const response = await app.fetch(request, env)
        if (!response.headers.has('X-Request-Id')) {
          response.headers.set('X-Request-Id', requestIdOf(request.headers.get('x-request-id')))
        }
        return response
      },
      { overrideGlobalObjects: false },
    )
  }

  let loaded: Promise<RequestListener> | undefined
  const router = () => {
    loaded ??= load()
    return loaded
  }
  setTimeout(router, SOON_MS).unref()
  return async (request, response) => (await router())(request, response)
}
