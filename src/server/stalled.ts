import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Node looks after this time, and again after as long: a client without progress is gone within a minute (contract R10). */
const STALLED_MS = 30_000

/**
 * Closes the connection of a client that takes nothing of its answer. It would hold the answer, and megabytes of the kernel's
 * memory, for as long as it likes. Streams have a rule of their own (contract R4).
 */
export function closeStalled(server: Server, ms = STALLED_MS): void {
  // Node counts as progress what the kernel takes, and calls back after an idle connection's time too.
  server.setTimeout(ms, (socket: Socket) => {
    // What waits in the kernel goes as well. Without a reset it would stay there for minutes.
    if (socket.writableLength > 0) socket.resetAndDestroy()
    else socket.destroy()
  })
}
