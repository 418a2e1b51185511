import type { RequestListener, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'

/** How long accepted requests may take to finish before they are cut off. */
const STOP_MS = 10_000
/**
 * How long an idle connection stays open once the server is stopping. A proxy may be sending a request on it, which
 * would be lost if the connection were closed at once.
 */
const QUIET_MS = 250
const SWEEP_MS = 50

/**
 * Prepares a server to stop without losing a request, even if a proxy sends one just then (contract A12). Node's own
 * `close` would close idle connections at once, and wait for connections on which no request has arrived.
 *
 * @returns `track`, which wraps the listener for requests that may take time, and `stop`, which accepts no new
 *   connections, and cuts off requests that haven't finished after 10 s. It resolves when the last connection is closed
 */
export function stoppable(server: Server) {
  const unfinished = new Set<ServerResponse>()

  return {
    track(next: RequestListener): RequestListener {
      return (request, response) => {
        unfinished.add(response)
        response.once('close', () => unfinished.delete(response))
        return next(request, response)
      }
    },
    async stop(): Promise<void> {
      // Let Node accept the connections that are still queued in the kernel; closing the server now would reset them.
      await new Promise(setImmediate)
      // Otherwise, a client that goes on sending requests would keep its connection open.
      for (const response of unfinished) response.shouldKeepAlive = false
      server.prependListener('request', (_, response) => {
        response.shouldKeepAlive = false
      })
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
      let sweep: NodeJS.Timeout | undefined
      const quiet = setTimeout(() => {
        // Once a second, Node closes the connections on which a request's headers haven't arrived within this time.
        server.headersTimeout = QUIET_MS
        sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      }, QUIET_MS)
      const limit = setTimeout(() => server.closeAllConnections(), STOP_MS)
      await closed
      // Ends Node's own timer, which looks for slow requests.
      server.close()
      clearTimeout(quiet)
      clearInterval(sweep)
      clearTimeout(limit)
    },
  }
}
