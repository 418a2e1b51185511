import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody, partFromResponse } from './request-queue.ts'

/**
 * Prepares a server to let go of the connections of streams. A stream needs its socket and nothing of HTTP any more, but
 * Node keeps a parser, the request and the response for it: two thirds of what an open page would take.
 *
 * Node itself drops them where the protocol of a connection changes. So the request of a stream is declared to be such a
 * change once its headers are answered (docs/decisions/0014). A Node that doesn't look at that declaration keeps everything,
 * and the stream works as well.
 *
 * @returns a function that has the connection of a request let go, as soon as that has been read
 */
export function prepareToLetGo(server: Server): (request: IncomingMessage) => void {
  // Before Node 24.9, a server that listens for changes of the protocol can't refuse the ones that clients ask for.
  if (!('shouldUpgradeCallback' in server)) return () => {}
  server.on('upgrade', (_, socket: Socket) => {
    partFromResponse(socket)
    // What is sent behind a stream is not answered (contract R4). To read is also how a client's leaving is noticed.
    socket.on('error', ignore).on('end', endToo).on('data', hangUp)
  })
  return (request) => {
    // What is left of a body would look like something sent behind the stream.
    if (hasBody(request)) return
    Object.assign(request, { upgrade: true })
  }
}

// All streams share these.
function ignore() {}

function endToo(this: Socket) {
  this.end()
}

function hangUp(this: Socket) {
  this.destroy()
}
