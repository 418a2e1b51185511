import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long requests that were accepted before a stop may take, before they are cut off. */
const STOP_MS = 10_000
/** How long a connection may wait for its first request. Browsers open some in advance and never use them. */
const SILENT_MS = 500
const SWEEP_MS = 50

/**
 * Prepares to stop a server: it accepts nothing new, and finishes what it accepted.
 *
 * Cost: one look-up for each request.
 *
 * @returns a function that stops the server, and resolves when the last connection is closed, which is at once if
 *   nothing is pending
 */
export function prepareStop(server: Server): () => Promise<void> {
  // Connections without a request. To Node they are busy, because it counts a request from the connection on.
  const silent = new Set<Socket>()
  function forget(this: Socket) {
    silent.delete(this)
  }
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.on('close', forget)
  })
  server.on('request', ({ socket }) => silent.delete(socket))

  return async () => {
    // Connections that the kernel has accepted would be reset, so they are accepted before this returns.
    await new Promise(setImmediate)
    const closed = new Promise((resolve) => server.close(resolve))
    // Otherwise a client that keeps sending requests would keep its connection open.
    server.prependListener('request', (_, response) => {
      response.shouldKeepAlive = false
    })
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    const hush = setTimeout(() => {
      for (const socket of silent) socket.destroy()
    }, SILENT_MS)
    const limit = setTimeout(() => server.closeAllConnections(), STOP_MS)
    await closed
    clearInterval(sweep)
    clearTimeout(hush)
    clearTimeout(limit)
  }
}
