import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** How long accepted requests may take to finish before they are cut off. */
const STOP_MS = 10_000
/**
 * How long an idle connection stays open. A proxy may be sending a request on it, which would be lost if the connection
 * were closed at once.
 */
const QUIET_MS = 250
const SWEEP_MS = 50

/**
 * Prepares a server to stop without losing a request, even if a proxy sends one just then (contract A12). Node's own
 * `close` would close idle connections at once, and wait for connections on which no request has arrived.
 *
 * @returns a function that stops the server: it accepts no new connections, and cuts off requests that haven't finished
 *   after 10 s. The function resolves when the last connection is closed
 */
export function stoppable(server: Server): () => Promise<void> {
  let stopping = false
  /** The response to the latest request of each connection. */
  const latest = new Map<Socket, ServerResponse | undefined>()
  function forget(this: Socket) {
    latest.delete(this)
  }
  server.on('connection', (socket: Socket) => {
    latest.set(socket, undefined)
    socket.on('close', forget)
  })
  server.prependListener('request', ({ socket }, response) => {
    latest.set(socket, response)
    // Otherwise, a client that goes on sending requests would keep its connection open.
    if (stopping) response.shouldKeepAlive = false
  })
  // The connection of a stream has left HTTP, so its response is garbage.
  server.on('upgrade', (_, socket) => void latest.delete(socket as Socket))

  function closeIdle() {
    for (const [socket, response] of latest) {
      if (!response || response.writableFinished) socket.destroySoon()
    }
  }

  return async () => {
    // Let Node accept the connections that are still queued in the kernel; closing the server now would reset them.
    await new Promise(setImmediate)
    stopping = true
    for (const response of latest.values()) if (response) response.shouldKeepAlive = false
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
    let sweep: NodeJS.Timeout | undefined
    const quiet = setTimeout(() => {
      closeIdle()
      sweep = setInterval(closeIdle, SWEEP_MS)
    }, QUIET_MS)
    const limit = setTimeout(() => {
      for (const socket of latest.keys()) socket.destroy()
    }, STOP_MS)
    await closed
    // Ends Node's own timer, which looks for slow requests.
    server.close()
    clearTimeout(quiet)
    clearInterval(sweep)
    clearTimeout(limit)
  }
}
