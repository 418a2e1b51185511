import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../log.ts'

/** Between two requests of a connection that sends ahead of its answers: others then hardly notice it. */
const PACE_MS = 1
/** Requests that wait for their turn, on all connections together; each takes 2 to 4 KiB. */
const MAX_WAITING = 8_192

const LATEST = Symbol('latest response')
const BEGAN = Symbol('turn of the event loop in which its last request began')
const ENDING = Symbol('nothing more is answered')
type Connection = Socket & { [LATEST]?: ServerResponse; [BEGAN]?: number; [ENDING]?: boolean }

/**
 * Works on one request of a connection at a time, in the order in which they were sent. What else was read of the
 * connection waits, and no more of it is read meanwhile. Otherwise one client that sends without waiting for
 * answers would have the database, the event loop and the memory to itself.
 *
 * Node reads 64 KiB at once and hands over every request in them, a few thousand at most. Over the limit for all
 * connections, the one with most waiting is closed.
 *
 * Cost of a request that need not wait: two properties of its connection, and one callback a turn for all of them.
 */
export function inTurn(work: RequestListener, log: Log): RequestListener {
  const waiting = new Map<Socket, number>()
  let total = 0
  let turn = 0
  let ending = false

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

  function endTurn() {
    turn++
    ending = false
  }

  return (request, response) => {
    const socket: Connection = request.socket
    if (socket[ENDING]) return socket.destroy()
    const before = socket[LATEST]
    socket[LATEST] = response
    // Node gives a response its connection when those before it are finished. That can be in the middle of what was
    // read at once: after the body of a request Node does all that is due before it goes on to the next.
    if (response.socket && socket[BEGAN] !== turn) {
      socket[BEGAN] = turn
      if (!ending) setImmediate(endTurn)
      ending = true
      return work(request, response)
    }
    if (socket.destroyed) return
    wait(socket)
    const begin = () => {
      leave(socket)
      if (!socket.destroyed) work(request, response)
    }
    if (response.socket) setTimeout(begin, PACE_MS)
    else before?.once('close', () => setTimeout(begin, PACE_MS))
  }
}

/**
 * Says that the answer in work is a connection's last: what was read together with its request is never answered, and
 * whoever sends more is hung up on. The connection is read on all the same, to notice when its client leaves.
 */
export function lastAnswerOn(socket: Connection): void {
  // What was read together with the request is still being handed over.
  setImmediate(() => {
    socket[ENDING] = true
    socket.off('resume', stayPaused).resume()
  })
}

/** The latest answer that this connection has been asked for, whether it has been given or not. */
export function latestAnswerOn(socket: Connection): ServerResponse | undefined {
  return socket[LATEST]
}

/** Reading a body, or finding that there is none, resumes its connection. */
function stayPaused(this: Socket) {
  this.pause()
}
