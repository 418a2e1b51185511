import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How often Node checks. A client without progress is disconnected within a minute (contract R10). */
const STALLED_MS = 30_000

/**
 * Closes the connection of a client that doesn't read its answer. It would hold the answer, and megabytes of kernel
 * memory, for as long as it likes. Streams have their own rule (contract R4).
 */
export function closeStalled(server: Server, ms = STALLED_MS): void {
  // For Node, data taken by the kernel is progress. It also calls back for idle connections.
  server.setTimeout(ms, (socket: Socket) => {
    // A reset also frees the data in the kernel, which would otherwise stay there for minutes.
    if (socket.writableLength > 0) socket.resetAndDestroy()
    else socket.destroy()
  })
}
