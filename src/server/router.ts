import type { RequestListener } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { requestIdOf } from '../http/request-id.ts'
import { describeError, type Log } from '../log.ts'
import type { Placard } from '../placard.ts'
import { Problem } from '../problem.ts'

/** When to load the router, if no request has needed it by then. */
const SOON_MS = 1_000

/**
 * Answers everything that isn't answered from memory. It needs the runtime's `Request`, which takes 50 ms to load, a
 * quarter of a start. So it is loaded when it is first needed, or a little after the start.
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
        // The health checks of load balancers use HTTP/1.0, which has no Host.
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
