import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Answer, answer, type Resource } from '../http/answer.ts'
import { eventResource } from '../http/event-resource.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { Site } from '../http/site.ts'
import { type Sink, streamHeaders } from '../http/stream.ts'
import type { Placard } from '../placard.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { listed } from './listed.ts'
import type { Counts } from './metrics.ts'
import { lastAnswerOn } from './turns.ts'

type Resources = (snapshot: Snapshot, request: IncomingMessage) => Resource

/**
 * Answers reads from what is ready in memory, before a router or a `Request` is involved; everything else is
 * routed. What to answer is decided where the router's way decides it: this only writes it out.
 *
 * Cost of a read: one look-up of the path, one look at the clock, one write.
 */
export function answerReads(
  placard: Placard,
  site: Pick<Site, 'page'>,
  routed: RequestListener,
  counts: Counts,
): RequestListener {
  const inMemory = new Map<string, Resources>([
    ['/api/events', eventResource],
    [
      '/',
      (snapshot, { headers }) =>
        site.page(snapshot, {
          lang: null,
          acceptLanguage: listed(headers['accept-language']),
          dismissible: false,
        }),
    ],
  ])

  /**
   * A stream of its own costs a third less memory than one through web streams; and a change written straight to the
   * connections, which are the streams' until they end, a third less time than through the responses.
   */
  function follow(request: IncomingMessage, response: ServerResponse): boolean {
    const snapshot = placard.snapshot()
    // A response has the connection in its turn; messages that go straight there must not overtake another answer.
    const { socket } = response
    if (!socket || snapshot instanceof Promise || !placard.streams.hasRoom()) return false
    const id = requestIdOf(listed(request.headers['x-request-id']))
    // No chunks: a stream ends with its connection anyway, and what goes straight there isn't framed.
    response.removeHeader('Transfer-Encoding')
    const headers = { ...streamHeaders(snapshot), Connection: 'close', 'X-Request-Id': id }
    response.writeHead(200, headers).flushHeaders()
    response.on('close', placard.streams.open(sinkOf(socket)))
    lastAnswerOn(socket)
    return true
  }

  return (request, response) => {
    const { method = '', url = '' } = request
    if (method === 'GET' || method === 'HEAD') {
      const resourceFor = inMemory.get(url)
      const snapshot = resourceFor && placard.snapshot()
      // What isn't in memory, or can't be drawn, takes the long way: that one knows how to fail.
      if (snapshot && !(snapshot instanceof Promise)) {
        let resource: Resource | undefined
        try {
          resource = resourceFor(snapshot, request)
        } catch {}
        if (resource) {
          counts.reads++
          return write(request, response, resource)
        }
      }
      if (url === '/api/events/stream' && method === 'GET' && follow(request, response)) return
    }
    response.on('close', () => {
      // Until an answer has begun, its status is the one that Node sets out with: 200.
      const key = `${method} ${response.headersSent ? response.statusCode : 'aborted'}`
      counts.routed.set(key, (counts.routed.get(key) ?? 0) + 1)
    })
    return routed(request, response)
  }
}

/**
 * An answer as Node writes it fastest: a flat list of headers, their names in lower case already; short text,
 * which joins them in one write.
 */
const forms = new WeakMap<Answer, { headers: readonly string[]; body: string | Buffer }>()
const SHORT = 4096

function write({ method, headers }: IncomingMessage, response: ServerResponse, resource: Resource) {
  const chosen = answer(resource, {
    acceptEncoding: listed(headers['accept-encoding']),
    ifNoneMatch: listed(headers['if-none-match']),
  })
  let form = forms.get(chosen)
  if (!form) {
    const bytes = Buffer.from(chosen.body ?? '')
    const asText = bytes.length <= SHORT && chosen.headers['Content-Encoding'] === undefined
    form = {
      headers: Object.entries(chosen.headers).flatMap(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
      body: asText ? bytes.toString() : bytes,
    }
    forms.set(chosen, form)
  }
  const id = requestIdOf(listed(headers['x-request-id']))
  response.writeHead(chosen.status, form.headers.concat('x-request-id', id))
  response.end(method === 'HEAD' || chosen.body === null ? undefined : form.body)
}

function sinkOf(socket: Socket): Sink {
  return {
    write: (chunk) => void socket.write(chunk),
    waiting: () => socket.writableLength,
    close: () => void socket.destroy(),
  }
}
