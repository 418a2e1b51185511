import type { RequestListener } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { requestIdOf } from '../http/request-id.ts'
import { describeError, type Log } from '../log.ts'
import type { Placard } from '../placard.ts'
import { Problem } from '../problem.ts'

/** When to load what the router needs, if no request has asked for it by then. */
const SOON_MS = 1_000

/**
 * The long way, for all that isn't answered from memory. It works on the runtime's `Request`, which takes 50 ms to
 * load, a quarter of a start: so it is loaded when it is needed, or a little later.
 */
export function createRouter(placard: Placard, log: Log): RequestListener {
  async function load(): Promise<RequestListener> {
    const { getRequestListener } = await import('@hono/node-server')
    return getRequestListener(
      (request, env) => {
        const { incoming, outgoing } = env as HttpBindings
        const { remoteAddress: address } = incoming.socket
        return placard.fetch(request, { address, hangUp: () => outgoing.destroy() })
      },
      {
        overrideGlobalObjects: false,
        // Health checks of load balancers speak HTTP/1.0, which knows no Host.
        hostname: 'localhost',
        errorHandler(error) {
          const requestId = requestIdOf(null)
          log.info({ requestId, status: 400, error: describeError(error) }, 'refused a request')
          const problem = new Problem(
            'invalid_request',
            'The Host or the path of this request is not valid',
            { headers: { 'X-Request-Id': requestId } },
          )
          return problem.toResponse()
        },
      },
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
