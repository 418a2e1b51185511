import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../core/log.ts'

/** The pause between two pipelined requests of a connection, so that other clients hardly notice them. */
const PACE_MS = 1
/** After this long without progress, a client that doesn't read its answer is disconnected (contract R10). */
const STALLED_MS = 30_000
/** How many requests may wait on all connections together. Each takes 2 to 4 KiB. */
const MAX_WAITING = 8_192

const LATEST = Symbol('latest response')
const BEGAN = Symbol('bytes read when its last request began')
const ENDING = Symbol('nothing more is answered')
type TrackedSocket = Socket & {
  [LATEST]?: ServerResponse | undefined
  [BEGAN]?: number
  [ENDING]?: 'soon' | 'now'
}

/**
 * Hands over one request of a connection at a time, in the order in which they were sent (contract R10). The others
 * wait, and the connection is not read meanwhile. Otherwise one pipelining client would occupy the database, the event
 * loop and the memory.
 *
 * Node reads 64 KiB at once, which hold a few thousand requests at most. When too many wait on all connections
 * together, the connection with most of them is closed.
 *
 * Cost of a request that need not wait: two properties of its socket.
 */
export function queueRequests(
  listener: RequestListener,
  log: Log,
  stalledMs = STALLED_MS,
): RequestListener {
  const waiting = new Map<Socket, number>()
  let total = 0

  function wait(socket: Socket) {
    const before = waiting.get(socket) ?? 0
    waiting.set(socket, before + 1)
    if (before === 0) socket.on('resume', stayPaused).once('close', forget).pause()
    if (++total > MAX_WAITING) closeLongest()
  }

  function leave(socket: Socket) {
    const before = waiting.get(socket)
    if (before === undefined) return
    total--
    if (before > 1) return waiting.set(socket, before - 1)
    waiting.delete(socket)
    socket.off('resume', stayPaused).off('close', forget).resume()
  }

  function forget(this: Socket) {
    total -= waiting.get(this) ?? 0
    waiting.delete(this)
  }

  function closeLongest() {
    const [longest, requests] = [...waiting].reduce((most, one) => (one[1] > most[1] ? one : most))
    log.info({ requests }, 'closed a connection with too many requests waiting')
    forget.call(longest)
    longest.destroy()
  }

  /**
   * Ends a connection whose client doesn't take its answer, which would hold the answer, and megabytes of kernel memory.
   * To Node, data taken by the kernel is progress. Streams have their own rule (contract R4).
   */
  function limit(socket: TrackedSocket, response: ServerResponse) {
    if (response.closed || socket[ENDING]) return
    socket.setTimeout(stalledMs)
    response.once('close', () => socket.setTimeout(0))
  }

  return (request, response) => {
    const socket: TrackedSocket = request.socket
    if (socket[ENDING] === 'now') return socket.destroy()
    // Node gives a response its socket once earlier ones are finished. That may happen in the middle of a read, because
    // Node runs queued callbacks after each body. So a second request from the same read has to wait too.
    const { bytesRead } = socket
    if (response.socket && socket[BEGAN] !== bytesRead) {
      socket[BEGAN] = bytesRead
      listener(request, response)
      // A response that its connection refers to survives garbage collections, which would make a read 2 % slower.
      if (response.writableEnded && socket.writableLength === 0 && !hasBody(request)) return
      socket[LATEST] = response
      limit(socket, response)
      return
    }
    socket[LATEST] = response
    if (socket.destroyed) return
    wait(socket)
    const begin = () => {
      leave(socket)
      if (socket.destroyed) return
      listener(request, response)
      limit(socket, response)
    }
    if (response.socket) setTimeout(begin, PACE_MS)
    else response.once('socket', () => setTimeout(begin, PACE_MS))
  }
}

/**
 * Answers nothing more on a connection after the current answer. Requests that were read together with this one are
 * dropped, and if the client sends more, its connection is closed. The connection is still read, to notice when the
 * client leaves.
 */
export function answerNoMoreOn(socket: TrackedSocket): void {
  socket[ENDING] = 'soon'
  // Requests that were read together with this one are still being handed over.
  setImmediate(() => {
    socket[ENDING] = 'now'
    socket.off('resume', stayPaused).resume()
  })
}

/** Whether a connection has had a request. */
export const hasBegun = (socket: TrackedSocket): boolean => socket[BEGAN] !== undefined

/** Whether a connection answers nothing more, because it belongs to a stream. */
export const isTaken = (socket: TrackedSocket): boolean => socket[ENDING] !== undefined

/** Whether the last request of a connection is answered, and no further one has begun. */
export function isIdle(socket: TrackedSocket): boolean {
  const { [LATEST]: latest, [BEGAN]: began, bytesRead } = socket
  if (began === undefined) return false
  return latest ? latest.closed && latest.req.complete : began === bytesRead
}

/** The response to the latest request of a connection, while it may be unfinished or its request unread. */
export function latestResponseOn(socket: TrackedSocket): ServerResponse | undefined {
  return socket[LATEST]
}

/** Separates a connection from its latest response. Data sent on it from now on belongs to no answer. */
export function partFromResponse(socket: TrackedSocket): void {
  socket[LATEST]?.detachSocket(socket)
  // Deleting the property would slow down every later access to the socket.
  socket[LATEST] = undefined
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return 'content-length' in headers || 'transfer-encoding' in headers
}

/** Node resumes a connection when it reads a body, and when it finds that there is none. */
function stayPaused(this: Socket) {
  this.pause()
}

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
  // Before Node 24.9, a server with a listener for upgrades can't refuse a client's upgrade.
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
