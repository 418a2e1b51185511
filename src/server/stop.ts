import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What was accepted before a stop is finished within this time (then cut off). */
const STOP_MS = 10_000
/** How long a connection may go on without a first request: browsers open some ahead, and leave them so. */
const SILENT_MS = 500
const SWEEP_MS = 50

/**
 * Prepares the end of a server: accept nothing new, finish what was accepted.
 *
 * Cost: one look-up a request.
 *
 * @returns a function that resolves when the last connection is closed; nothing pending, in a moment
 */
export function prepareStop(server: Server): () => Promise<void> {
  // Node takes those for busy: to it, a request begins with the connection.
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
    const closed = new Promise((resolve) => server.close(resolve))
    // Who keeps asking on a connection that is open would otherwise keep it open.
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
