import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Sender } from '../http/client-address.ts'
import type { Document } from '../http/documents.ts'
import {
  type CachedResponse,
  chooseResponse,
  type HeaderOf,
  type Resource,
} from '../http/resource.ts'
import type { Sink } from '../http/stream.ts'
import { STREAM_PATH, streamHeaders, wantedIn } from '../http/stream-route.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Counts } from './metrics.ts'

/** The state that all requests for a URL share. */
interface Target {
  url: string
  path: string
  query: string
  /** Renders the document at this path; `undefined` if this path has none. */
  document: Document | undefined
  /** The last rendered resource, which is reused while the snapshot and `Accept-Language` stay the same. */
  last: { snapshot?: Snapshot; language?: string | undefined; resource?: Resource }
}

/**
 * Answers reads of documents that are in memory, and opens streams, without creating a `Request`. Passes everything
 * else on to `next`. The routes render the same documents, so a response doesn't depend on which of the two sends it.
 *
 * A read costs one path comparison, one clock reading and one write.
 *
 * @param detach called with the response of each stream, whose connection no longer needs HTTP
 */
export function answerFromMemory(
  placard: Placard,
  counts: Pick<Counts, 'reads'>,
  detach: (response: ServerResponse) => void,
  next: RequestListener,
): RequestListener {
  const { addressOf, share, documents } = internalsOf(placard).service

  /** The target of the last URL, because many requests have the same URL. */
  let latest: Target | undefined
  function targetOf(url: string): Target {
    if (latest?.url === url) return latest
    const at = url.indexOf('?')
    const path = at < 0 ? url : url.slice(0, at)
    const query = at < 0 ? '' : url.slice(at + 1)
    latest = { url, path, query, document: documents.get(path), last: {} }
    return latest
  }

  function resourceOf(target: Target, snapshot: Snapshot, headers: IncomingHttpHeaders): Resource {
    const { document, query, last } = target
    const language = headers['accept-language']
    if (last.resource && last.snapshot === snapshot && last.language === language)
      return last.resource
    const render = document as Document
    const resource = render(snapshot, new URLSearchParams(query), headerOf(headers))
    target.last = { snapshot, language, resource }
    return resource
  }

  /**
   * Opens an event stream without web streams. Messages are written straight to the connection, which serves nothing
   * else from then on. Writing to the response would take 50% longer, and would keep the response in memory.
   */
  function follow(request: IncomingMessage, response: ServerResponse, query: string): boolean {
    const snapshot = placard.snapshot()
    if (snapshot instanceof Promise) return false
    const { socket } = request
    const address = addressOf(senderOf(request))
    if (!placard.streams.hasRoom(address)) return false
    const wanted = query ? wantedIn(query) : undefined
    // The response isn't chunked: the stream ends with its connection, and messages are written without chunk headers.
    response.removeHeader('Transfer-Encoding')
    response.writeHead(200, { ...streamHeaders(snapshot), Connection: 'close' }).flushHeaders()
    // A stream has its own limit for clients that stop reading (R4).
    socket.setTimeout(0)
    socket.on('close', placard.streams.open(sinkOf(socket), address, wanted))
    detach(response)
    return true
  }

  return (request, response) => {
    const { method = '', url = '', headers } = request
    // The router rejects a request with two Host headers, which Node joins by a comma (RFC 9112, 3.2).
    const isClear = !headers.host?.includes(',')
    if (isClear && (method === 'GET' || method === 'HEAD')) {
      const target = targetOf(url)
      const { path, query, document } = target
      const snapshot = document && placard.snapshot()
      // A document that isn't in memory or can't be rendered is left to its route, which also sends error responses.
      if (snapshot && !(snapshot instanceof Promise)) {
        try {
          const resource = share(resourceOf(target, snapshot, headers), snapshot)
          counts.reads++
          return write(request, response, resource)
        } catch {}
      }
      if (path === STREAM_PATH && method === 'GET' && follow(request, response, query)) return
    }
    return next(request, response)
  }
}

/**
 * The form of a response that Node writes fastest: a flat list of headers with lower-case names, and a short body as a
 * Latin-1 string, which Node writes in one piece with the headers. Encoding UTF-8 each time would make a read a fifth
 * slower.
 */
const forms = new WeakMap<CachedResponse, { headers: string[]; body: string | Buffer }>()
const SHORT = 4096

function write({ method, headers }: IncomingMessage, response: ServerResponse, resource: Resource) {
  const chosen = chooseResponse(resource, headerOf(headers))
  let form = forms.get(chosen)
  if (!form) {
    const bytes = Buffer.from(chosen.body ?? '')
    form = {
      headers: Object.entries(chosen.headers).flatMap(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
      body: bytes.length <= SHORT ? bytes.toString('latin1') : bytes,
    }
    forms.set(chosen, form)
  }
  response.writeHead(chosen.status, form.headers)
  if (method === 'HEAD' || chosen.body === null) response.end()
  else response.end(form.body, 'latin1')
}

function senderOf({ socket, headers }: IncomingMessage): Sender {
  return { address: socket.remoteAddress, forwarded: headerOf(headers)('x-forwarded-for') }
}

/** Several headers of the same name are joined by commas, as in the router. */
const headerOf =
  (headers: IncomingHttpHeaders): HeaderOf =>
  (name) =>
    headers[name] === undefined ? null : String(headers[name])

function sinkOf(socket: Socket): Sink {
  return {
    write: (chunk) => void socket.write(chunk),
    waiting: () => socket.writableLength,
    close: () => void socket.destroy(),
  }
}
