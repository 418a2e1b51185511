import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { answerRead, type ReadAnswer } from '../http/reading.ts'
import { requestIdOf } from '../http/request-id.ts'
import { type Sink, streamHeaders } from '../http/stream.ts'
import type { Placard } from '../placard.ts'
import type { Counts } from './metrics.ts'

/** An answer that lies ready, or a promise where it doesn't. */
type Prepare = (request: IncomingMessage) => ReadAnswer | Promise<unknown>

/**
 * Answers reads from what is ready in memory, before a router or a `Request` is involved; everything else is
 * routed. What to answer is decided where the router's way decides it: this only writes it out.
 *
 * Cost of a read: one look-up of the path, one look at the clock, one write.
 *
 * @param pages further answers that lie ready, by their path
 */
export function createListener(
  placard: Placard,
  pages: ReadonlyMap<string, Prepare>,
  routed: RequestListener,
  counts: Counts,
): RequestListener {
  const prepared = new Map<string, Prepare>(pages)
  prepared.set('/api/events', (request) => {
    const snapshot = placard.snapshot()
    if (snapshot instanceof Promise) return snapshot
    return answerRead(snapshot, headerOf(request, 'if-none-match'))
  })

  /** A stream of its own costs a third less memory than one through web streams. */
  function follow(request: IncomingMessage, response: ServerResponse): boolean {
    const snapshot = placard.snapshot()
    if (snapshot instanceof Promise || !placard.streams.hasRoom()) return false
    const id = requestIdOf(headerOf(request, 'x-request-id'))
    // No chunks: a stream ends with its connection anyway, and each message is then one plain write.
    response.removeHeader('Transfer-Encoding')
    response.writeHead(200, { ...streamHeaders(snapshot), 'X-Request-Id': id })
    response.on('close', placard.streams.open(sinkOf(response)))
    return true
  }

  return (request, response) => {
    const { method = '', url = '' } = request
    if (method === 'GET' || method === 'HEAD') {
      const answer = prepared.get(url)?.(request)
      // What isn't in memory takes the long way, which also knows what to do when it fails.
      if (answer && !(answer instanceof Promise)) {
        counts.reads++
        return write(request, response, answer)
      }
      if (url === '/api/events/stream' && method === 'GET' && follow(request, response)) return
    }
    response.on('close', () => {
      const key = `${method} ${response.statusCode}`
      counts.routed.set(key, (counts.routed.get(key) ?? 0) + 1)
    })
    return routed(request, response)
  }
}

/** An answer as Node writes it fastest: a flat list of headers, and text, which joins them in one write. */
const written = new WeakMap<ReadAnswer, { headers: string[]; text: string }>()

function write(request: IncomingMessage, response: ServerResponse, answer: ReadAnswer): void {
  let prepared = written.get(answer)
  if (!prepared) {
    const text = new TextDecoder().decode(answer.body ?? undefined)
    prepared = { headers: Object.entries(answer.headers).flat(), text }
    written.set(answer, prepared)
  }
  const id = requestIdOf(headerOf(request, 'x-request-id'))
  response.writeHead(answer.status, prepared.headers.concat('X-Request-Id', id))
  response.end(request.method === 'HEAD' || answer.body === null ? undefined : prepared.text)
}

function sinkOf(response: ServerResponse): Sink {
  return {
    write: (chunk) => void response.write(chunk),
    waiting: () => response.writableLength,
    close: () => response.destroy(),
  }
}

/** Several headers of one name count as one list, as they do for the router. */
function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name]
  return value === undefined ? null : String(value)
}
