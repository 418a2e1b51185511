import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody, partFromResponse } from './request-queue.ts'

/**
 * Prepares a server to release the connections of streams. A stream needs its socket and nothing of HTTP, but Node
 * keeps a parser, the request and the response for it: two thirds of an open page's memory.
 *
 * Node itself drops them when the protocol of a connection changes. So the request of a stream is marked as such a
 * change once its headers are answered (docs/decisions/0014). A Node that ignores the mark keeps everything, and the
 * stream still works.
 *
 * @returns a function that releases the connection of a request once the request has been read
 */
export function prepareToLetGo(server: Server): (request: IncomingMessage) => void {
  // Before Node 24.9, a server with a listener for upgrades can't refuse those of clients.
  if (!('shouldUpgradeCallback' in server)) return () => {}
  server.on('upgrade', (_, socket: Socket) => {
    partFromResponse(socket)
    // Data sent after a stream's request isn't answered (contract R4). Reading also notices when a client leaves.
    socket.on('error', ignore).on('end', endToo).on('data', hangUp)
  })
  return (request) => {
    // The rest of a body would look like data sent after the request.
    if (hasBody(request)) return
    Object.assign(request, { upgrade: true })
  }
}

// All streams share these functions.
function ignore() {}

function endToo(this: Socket) {
  this.end()
}

function hangUp(this: Socket) {
  this.destroy()
}
