import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** A connection that sends more requests than this ahead of a response is closed without waiting for the response. */
const MAX_AHEAD = 32
/** How many bytes a connection had sent when its latest request began. A property is faster than a map. */
const BEGUN = Symbol('bytes read')

/**
 * Handles one request of a connection at a time (contract R10). If another request arrives before the response to the
 * first is complete, that response becomes the connection's last, and everything else that was sent is dropped, as
 * RFC 9112, 9.3.2 allows. Otherwise, one connection could tie up the database and fill the memory. Browsers and proxies
 * wait for each response.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** How many requests each connection has sent ahead. */
  const ahead = new WeakMap<Socket, number>()
  return (request, response) => {
    const socket: Socket & { [BEGUN]?: number } = request.socket
    // Node gives a response its socket once all earlier responses are complete. A request that was read together with
    // the previous request was sent ahead too, even if the previous response is complete by now.
    const { bytesRead } = socket
    if (response.socket && socket[BEGUN] !== bytesRead) {
      socket[BEGUN] = bytesRead
      return listener(request, response)
    }
    const count = (ahead.get(socket) ?? 0) + 1
    ahead.set(socket, count)
    if (count > MAX_AHEAD) socket.destroy()
    // Node still passes on the requests that it read together with this one, up to 64 KiB, but reads no more.
    socket.pause()
    if (response.socket) socket.destroySoon()
    else if (count === 1) response.once('socket', () => socket.destroySoon())
  }
}
