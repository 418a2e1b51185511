import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { answerRead, type ReadAnswer } from '../http/reading.ts'
import { requestIdOf } from '../http/request-id.ts'
import { type Sink, streamHeaders } from '../http/stream.ts'
import type { Documents } from '../page/documents.ts'
import type { Placard } from '../placard.ts'
import type { Snapshot } from '../showing.ts'
import type { Counts } from './metrics.ts'

type Prepare = (snapshot: Snapshot, request: IncomingMessage) => ReadAnswer

/**
 * Answers reads from what is ready in memory, before a router or a `Request` is involved; everything else is
 * routed. What to answer is decided where the router's way decides it: this only writes it out.
 *
 * Cost of a read: one look-up of the path, one look at the clock, one write.
 */
export function createListener(
  placard: Placard,
  documents: Pick<Documents, 'page'>,
  routed: RequestListener,
  counts: Counts,
): RequestListener {
  const prepared = new Map<string, Prepare>([
    [
      '/api/events',
      (snapshot, { headers }) => answerRead(snapshot, listed(headers['if-none-match'])),
    ],
    [
      '/',
      (snapshot, { headers }) =>
        documents.page(snapshot, {
          lang: null,
          dismissible: false,
          acceptLanguage: listed(headers['accept-language']),
          acceptEncoding: listed(headers['accept-encoding']),
          ifNoneMatch: listed(headers['if-none-match']),
        }),
    ],
  ])

  /**
   * A stream of its own costs a third less memory than one through web streams; and a change written straight to the
   * connections, which are the streams' until they end, a third less time than through the responses.
   */
  function follow(request: IncomingMessage, response: ServerResponse): boolean {
    const snapshot = placard.snapshot()
    // Without a connection of its own yet, behind another answer on the same one, it has to wait its turn.
    const { socket } = response
    if (!socket || snapshot instanceof Promise || !placard.streams.hasRoom()) return false
    const id = requestIdOf(listed(request.headers['x-request-id']))
    // No chunks: a stream ends with its connection anyway, and what goes straight there isn't framed.
    response.removeHeader('Transfer-Encoding')
    response.writeHead(200, { ...streamHeaders(snapshot), 'X-Request-Id': id }).flushHeaders()
    response.on('close', placard.streams.open(sinkOf(socket)))
    return true
  }

  return (request, response) => {
    const { method = '', url = '' } = request
    if (method === 'GET' || method === 'HEAD') {
      const prepare = prepared.get(url)
      const snapshot = prepare && placard.snapshot()
      // What isn't in memory, or can't be drawn, takes the long way: that one knows how to fail.
      if (snapshot && !(snapshot instanceof Promise)) {
        let answer: ReadAnswer | undefined
        try {
          answer = prepare(snapshot, request)
        } catch {}
        if (answer) {
          counts.reads++
          return write(request, response, answer)
        }
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

/**
 * An answer as Node writes it fastest: a flat list of headers, their names in lower case already; short text,
 * which joins them in one write.
 */
const written = new WeakMap<ReadAnswer, { headers: string[]; body: string | Buffer }>()
const SHORT = 4096

function write(request: IncomingMessage, response: ServerResponse, answer: ReadAnswer): void {
  let prepared = written.get(answer)
  if (!prepared) {
    const bytes = Buffer.from(answer.body ?? '')
    const asText = bytes.length <= SHORT && answer.headers['Content-Encoding'] === undefined
    const named = Object.entries({ ...answer.headers, 'X-Request-Id': '' })
    prepared = {
      headers: named.flatMap(([name, value]) => [name.toLowerCase(), value]),
      body: asText ? bytes.toString() : bytes,
    }
    written.set(answer, prepared)
  }
  const { headers, body } = prepared
  // Node reads the list at once, so that one list serves all.
  headers[headers.length - 1] = requestIdOf(listed(request.headers['x-request-id']))
  response.writeHead(answer.status, headers)
  response.end(request.method === 'HEAD' || answer.body === null ? undefined : body)
}

function sinkOf(socket: Socket): Sink {
  return {
    write: (chunk) => void socket.write(chunk),
    waiting: () => socket.writableLength,
    close: () => void socket.destroy(),
  }
}

/** Several headers of one name count as one list, as they do for the router. */
function listed(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
