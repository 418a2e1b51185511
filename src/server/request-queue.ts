import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../core/log.ts'

/** The pause between two pipelined requests of a connection, so that pipelining hardly slows down other clients. */
const PACE_MS = 1
/** A client that doesn't read the response is disconnected after this long without progress (contract R10). */
const STALLED_MS = 30_000
/** How many responses to send in one go. Minor garbage collections would have to copy a larger batch. */
const TOGETHER = 64
/** How many requests may wait, across all connections. Each waiting request takes 2 to 4 KiB. */
const MAX_WAITING = 8_192

const LATEST = Symbol('latest response')
const BEGAN = Symbol('bytes read when its last request began')
const ENDING = Symbol('nothing more is answered')
type TrackedSocket = Socket & {
  [LATEST]?: ServerResponse | undefined
  [BEGAN]?: number
  [ENDING]?: 'soon' | 'now'
}

/** Handles a request. May return a function that sends the response; the queue calls it soon, in a batch. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Passes on a connection's requests one at a time, in the order in which they were sent (contract R10). While requests
 * wait, their connection isn't read. Otherwise, one pipelining client could tie up the database and the event loop, and
 * fill the memory.
 *
 * Node reads at most 64 KiB at a time: a few thousand requests. When too many requests wait across all connections,
 * the connection with the most waiting requests is closed.
 *
 * A request that needn't wait costs little: a few properties of its socket are read and written.
 */
export function queueRequests(handler: Handler, log: Log, stalledMs = STALLED_MS): RequestListener {
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
   * Ends a connection whose client doesn't read the response: unread data occupies memory here and megabytes in the
   * kernel. Node's timeout restarts each time the kernel accepts data. Streams have their own limit (R4).
   */
  function limit(socket: TrackedSocket, response: ServerResponse) {
    if (response.closed || socket[ENDING]) return
    socket.setTimeout(stalledMs)
    response.once('close', () => socket.setTimeout(0))
  }

  let ready: { response: ServerResponse; send: () => void }[] = []

  function begin(request: IncomingMessage, response: ServerResponse) {
    const send = handler(request, response) as (() => void) | undefined
    if (typeof send !== 'function') return finish(response)
    // If responses are sent one by one, a client or proxy on the same machine goes to sleep after each, and the kernel
    // has to wake it up. Sending the responses in one go makes reads 5 to 8% faster.
    const count = ready.push({ response, send })
    if (count === 1) setImmediate(sendAll)
    else if (count === TOGETHER) sendAll()
  }

  function sendAll() {
    const all = ready
    ready = []
    for (const { response, send } of all) {
      send()
      finish(response)
    }
  }

  function finish(response: ServerResponse) {
    const { req: request } = response
    const socket: TrackedSocket = request.socket
    if (!response.writableEnded || socket.writableLength > 0 || hasBody(request)) {
      return limit(socket, response)
    }
    // A reference to the response would keep it alive across garbage collections, which slows reads by 2%.
    if (socket[LATEST] === response) socket[LATEST] = undefined
  }

  return (request, response) => {
    const socket: TrackedSocket = request.socket
    if (socket[ENDING] === 'now') return socket.destroy()
    socket[LATEST] = response
    // Node gives a response its socket once earlier responses are finished. So if Node reads two requests at once, the
    // response to the second may already have a socket, but the second request still has to wait.
    const { bytesRead } = socket
    if (response.socket && socket[BEGAN] !== bytesRead) {
      // When a client has finished sending, Node hangs up, so the waiting responses are sent first.
      if (socket[BEGAN] === undefined) socket.prependListener('end', sendAll)
      socket[BEGAN] = bytesRead
      begin(request, response)
      return
    }
    if (socket.destroyed) return
    wait(socket)
    const goOn = () => {
      leave(socket)
      if (!socket.destroyed) begin(request, response)
    }
    if (response.socket) setTimeout(goOn, PACE_MS)
    else response.once('socket', () => setTimeout(goOn, PACE_MS))
  }
}

/**
 * Makes the current response the last on its connection. Pipelined requests that Node has already read are dropped, and
 * a client that sends more is disconnected. The connection is still read, to notice when the client leaves.
 */
export function answerNoMoreOn(socket: TrackedSocket): void {
  socket[ENDING] = 'soon'
  // Node is still passing on the requests that it read together with the current one.
  setImmediate(() => {
    socket[ENDING] = 'now'
    socket.off('resume', stayPaused).resume()
  })
}

/** How many bytes a connection had read when its latest request began; `undefined` before its first request. */
export const bytesAtLatest = (socket: TrackedSocket): number | undefined => socket[BEGAN]

/** Whether a connection belongs to a stream and so carries no further response. */
export const isTaken = (socket: TrackedSocket): boolean => socket[ENDING] !== undefined

/** The response to a connection's latest request; `undefined` once both are complete. */
export function unfinishedResponseOn({
  [LATEST]: latest,
}: TrackedSocket): ServerResponse | undefined {
  return latest?.closed && latest.req.complete ? undefined : latest
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return 'content-length' in headers || 'transfer-encoding' in headers
}

/** Pauses a connection again. Node resumes it to read a request's body, and also after a request without a body. */
function stayPaused(this: Socket) {
  this.pause()
}

/**
 * Prepares a server to release the connections of streams. A stream needs only its socket, but Node also keeps the HTTP
 * parser, the request and the response: two thirds of an open page's memory.
 *
 * Node drops its HTTP objects when a connection switches to another protocol. So once a stream's headers are sent, its
 * request is marked as a protocol switch (docs/decisions/0014). If a version of Node ignores the mark, it keeps the
 * objects, and the stream still works.
 *
 * @returns a function that makes Node release a request's connection once Node has read the request
 */
export function prepareToLetGo(server: Server): (request: IncomingMessage) => void {
  // Before Node 24.9, a server with an `upgrade` listener can't decline a client's upgrade, so we add no listener.
  if (!('shouldUpgradeCallback' in server)) return () => {}
  server.on('upgrade', (_, socket: TrackedSocket) => {
    // Data written to the connection from now on belongs to no response.
    socket[LATEST]?.detachSocket(socket)
    // Deleting the property would slow down every later access to the socket.
    socket[LATEST] = undefined
    // Disconnects a client that sends more on a stream's connection. Reading also detects when the client leaves.
    socket.on('error', ignore).on('end', endToo).on('data', hangUp)
  })
  return (request) => {
    // The rest of a body would look like data sent after the request.
    if (hasBody(request)) return
    Object.assign(request, { upgrade: true })
  }
}

// All streams share these functions, to save memory.
function ignore() {}

function endToo(this: Socket) {
  this.end()
}

function hangUp(this: Socket) {
  this.destroy()
}
