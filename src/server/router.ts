import type { RequestListener } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Admin, HostOptions } from '../admin/admin.ts'
import { describeError, type Log } from '../core/log.ts'
import { loadOnce } from '../core/once.ts'
import { Problem } from '../core/problem.ts'
import { DEFAULT_ADMIN_PATH } from '../http/links.ts'
import { requestIdOf } from '../http/responder.ts'
import type { Placard } from '../placard.ts'

/** How long after the start to load the router if no request has needed it yet. */
const SOON_MS = 1_000

/**
 * Answers all requests that aren't answered from memory. The router needs the runtime's `Request`, which takes 50 ms to
 * load, a quarter of the start-up time. So the router is loaded on first use, or 1 s after the start.
 *
 * @param adapter loads the code that converts Node's requests to the runtime's `Request`
 */
export function createRouter(
  placard: Placard,
  admin: Admin,
  log: Log,
  adapter = () => import('@hono/node-server'),
): RequestListener {
  const load = loadOnce(async (): Promise<RequestListener> => {
    const { getRequestListener, RequestError } = await adapter()
    return getRequestListener(
      async (request, env) => {
        const { incoming, outgoing } = env as HttpBindings
        const { remoteAddress: address } = incoming.socket
        const hangUp = () => outgoing.destroy()
        const service = isForAdmin(request.url) ? admin : placard
        const response = await service.fetch(request, { address, hangUp })
        // The adapter discards unread data for half a second, then hangs up. A `data` listener that is still attached
        // would keep the data in memory.
        if (!incoming.complete) incoming.removeAllListeners('data')
        return response
      },
      {
        overrideGlobalObjects: false,
        // The host for requests without one: some load balancers' health checks use HTTP/1.0, which needs no Host.
        hostname: 'localhost',
        errorHandler(error) {
          if (error instanceof RequestError) {
            const message = 'The Host or the path of this request is invalid'
            return new Problem('invalid_request', message).toResponse()
          }
          return failure(log, error, 'a request failed', Problem.from(error)).toResponse()
        },
      },
    )
  })

  const loadAhead = () => load().catch(() => {})
  setTimeout(loadAhead, SOON_MS).unref()
  return async (request, response) => {
    try {
      await (await load())(request, response)
    } catch (error) {
      const answer = Problem.unavailable('The service is not ready yet; try again')
      const problem = failure(log, error, "the router can't be loaded", answer)
      response.writeHead(problem.status, problem.toHeaders()).end(problem.toBody())
    }
  }
}

/** Logs the cause of a failed request, and returns the response's problem, with its id in the log (contract R6). */
function failure(log: Log, error: unknown, message: string, problem: Problem): Problem {
  const requestId = requestIdOf(null)
  log.error({ requestId, error: describeError(error) }, message)
  return problem.with({ 'X-Request-Id': requestId })
}

export function isForAdmin(url: string): boolean {
  const { pathname } = new URL(url)
  return pathname === DEFAULT_ADMIN_PATH || pathname.startsWith(`${DEFAULT_ADMIN_PATH}/`)
}

/**
 * Loads the admin on its first use, because few requests need the admin, and loading it would slow down the start.
 *
 * @param options called once the admin is loaded, because the service knows its address only once it listens
 */
export function lazyAdmin(placard: Placard, options: () => HostOptions, log: Log): Admin {
  const load = loadOnce(async () => {
    const { createAdmin } = await import('../admin/admin.ts')
    return createAdmin(placard, options())
  })
  return {
    async fetch(request, info) {
      try {
        return (await load()).fetch(request, info)
      } catch (error) {
        const problem = Problem.unavailable('The admin is unavailable; try again')
        return failure(log, error, "the admin can't be loaded", problem).toResponse()
      }
    },
    createLink: async (name) => (await load()).createLink(name),
  }
}
