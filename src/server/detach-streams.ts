import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Prepares a server to detach the connections of streams from HTTP. A stream needs only its socket, but Node also keeps
 * the parser, the request and the response: 13 KiB per open page instead of 4 (docs/decisions/0014).
 *
 * Node drops its HTTP objects when a connection switches to another protocol. So once a stream's headers are sent, its
 * request is marked as a protocol switch. If a version of Node ignores the mark, it keeps the objects, and the stream
 * still works.
 *
 * @returns a function that makes Node detach a response's connection once Node has read the request. The stream of a
 *   request with a body, or with pipelined requests behind it, stays in HTTP
 */
export function detachStreams(server: Server): (response: ServerResponse) => void {
  // Before Node 24.9, a server with an `upgrade` listener can't decline a client's upgrade, so we add no listener.
  if (!('shouldUpgradeCallback' in server)) return () => {}
  const responses = new WeakMap<IncomingMessage, ServerResponse>()
  server.on('upgrade', (request, socket) => {
    // Data written to the connection from now on belongs to no response.
    responses.get(request)?.detachSocket(request.socket)
    // Disconnects a client that sends more on a stream's connection. Reading also detects when the client leaves.
    socket.on('error', ignore).on('end', endToo).on('data', hangUp)
  })
  return (response) => {
    const { req: request } = response
    const { headers } = request
    // The rest of a body would look like data sent after the request.
    if ('content-length' in headers || 'transfer-encoding' in headers) return
    responses.set(request, response)
    Object.assign(request, { upgrade: true })
  }
}

// All streams share these functions, to save memory.
function ignore() {}

function endToo(this: Duplex) {
  this.end()
}

function hangUp(this: Duplex) {
  this.destroy()
}
