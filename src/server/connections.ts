import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bytesAtLatest, isTaken, unfinishedResponseOn } from './request-queue.ts'

const LOOK_MS = 1_000
/**
 * The minimum time to keep an idle connection whose last bytes don't form a request yet. Node itself responds with 408
 * if headers take more than 15 s, but it doesn't treat a line break as the beginning of a request.
 */
const HALF_MS = 20_000
/** When the service stops, how long accepted requests may take to finish before they are cut off. */
const STOP_MS = 10_000
/**
 * When the service stops, how long an idle connection stays open. A proxy may be sending a request on it, which would
 * be lost if the connection were closed at once.
 */
const QUIET_MS = 250
const SWEEP_MS = 50

/**
 * Closes a server's connections once they have been idle for `keptMs` between two requests (contract R10). Otherwise,
 * any client could occupy all connections. Node's keep-alive timeout would set two timers for each request and make
 * reads 5% slower.
 *
 * @returns a function that stops the server: it accepts no new connections, and cuts off requests that haven't finished
 *   after 10 s. The function resolves when the last connection is closed
 */
export function lookAfter(server: Server, keptMs: number): () => Promise<void> {
  /** For each connection, the time at which it became idle, and the number of bytes that had arrived by then. */
  const connections = new Map<Socket, { since: number; bytes: number }>()
  function forget(this: Socket) {
    connections.delete(this)
  }
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: performance.now(), bytes: 0 })
    socket.on('close', forget)
  })
  // Without this listener, Node would only close the connection, and the kernel would keep unsent data for minutes.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.resetAndDestroy()
    else socket.destroy()
  })

  /** Closes connections that have no response in progress and have been idle for `quietMs(socket)`. */
  function closeIdle(quietMs: (socket: Socket) => number) {
    const now = performance.now()
    for (const [socket, idle] of connections) {
      if (isTaken(socket)) connections.delete(socket)
      else if (socket.bytesRead !== idle.bytes || unfinishedResponseOn(socket)) {
        idle.since = now
        idle.bytes = socket.bytesRead
      } else if (now - idle.since >= quietMs(socket)) socket.destroy()
    }
  }
  /** Runs `work` at intervals, each time after Node has read the data that has arrived. */
  const repeat = (ms: number, work: () => void) => setInterval(() => setImmediate(work), ms)
  const quietMs = (socket: Socket) =>
    socket.bytesRead === bytesAtLatest(socket) ? keptMs : Math.max(keptMs, HALF_MS)
  const looking = repeat(LOOK_MS, () => closeIdle(quietMs)).unref()
  server.once('close', () => clearInterval(looking))

  return async () => {
    // Let Node accept the connections that are still queued in the kernel; closing the server now would reset them.
    await new Promise(setImmediate)
    for (const idle of connections.values()) idle.since = performance.now()
    // `close` would close idle connections at once.
    server.closeIdleConnections = () => {}
    const closed = new Promise((resolve) => server.close(resolve))
    // Ends keep-alive; otherwise, a client that goes on sending requests would keep its connection open.
    for (const event of ['request', 'checkExpectation']) {
      server.prependListener(event, (_, response: ServerResponse) => {
        response.shouldKeepAlive = false
      })
    }
    const sweep = repeat(SWEEP_MS, () => closeIdle(() => QUIET_MS))
    const limit = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy()
    }, STOP_MS)
    await closed
    clearInterval(sweep)
    clearTimeout(limit)
  }
}
