import type { IncomingMessage } from 'node:http'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { type RequestOptions, request } from 'node:https'
import { API_SECRET, DRAFT } from '../harness.ts'
import { soon } from '../soon.ts'
import type { ProxyServer } from './servers.ts'

/** The headers of a write. */
export const WRITES = { authorization: `Bearer ${API_SECRET}`, 'content-type': 'application/json' }

let last = 0

/** An address of this machine that no other client uses: all of 127.0.0.0/8 belongs to it. */
export function nextSource(): string {
  last++
  return `127.1.${last >> 8}.${last & 255}`
}

/** A browser's connection: HTTP/2 over TLS. */
function visit({ port, certificate }: ProxyServer, localAddress = nextSource()) {
  // `connect` accepts the options of `net.connect`, but its type rejects them in a literal.
  const options = { ca: certificate, localAddress, family: 4 }
  return connect(`https://localhost:${port}`, options)
}

/**
 * The errors of a request that a proxy hasn't accepted: it refuses the stream because it is about to close the
 * connection (RFC 9113, 8.7), or the handshake, as Caddy does while it has no certificate, between one
 * configuration and the next.
 */
const NOT_TAKEN = /NGHTTP2_REFUSED_STREAM|tlsv1 alert internal error/

interface Asking {
  from?: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends a request over a new connection, and again if the proxy hasn't accepted it. */
export async function ask(proxy: ProxyServer, path: string, asking: Asking = {}): Promise<Answer> {
  const session = visit(proxy, asking.from)
  try {
    return await askOver(session, path, asking)
  } catch (error) {
    if (!NOT_TAKEN.test(String(error))) throw error
    return ask(proxy, path, asking)
  } finally {
    session.destroy()
  }
}

async function askOver(
  session: ClientHttp2Session,
  path: string,
  { method = 'GET', headers, body }: Asking,
): Promise<Answer> {
  const stream = session.request({ ':path': path, ':method': method, ...headers })
  // Without a body, the request has ended with its headers.
  if (body !== undefined) stream.end(body)
  const [answer, text] = await Promise.all([
    new Promise<IncomingHttpHeaders>((resolve, reject) => {
      stream.once('response', resolve).once('error', reject)
      session.once('error', reject)
    }),
    stream.setEncoding('utf8').toArray(),
  ])
  return { status: Number(answer[':status']), headers: answer, text: text.join('') }
}

/** Sends a request over HTTP/1.1, and waits for the whole response. An error says whether the connection had been used before. */
export function askInHttp1(
  { port, certificate: ca }: ProxyServer,
  asking: RequestOptions = {},
  body?: string,
): Promise<IncomingMessage> {
  const to = { host: 'localhost', family: 4, port, ca, path: '/api/events', ...asking }
  return new Promise((resolve, reject) => {
    const asked = request(to, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer))
        .once('error', reject)
    })
    asked
      .once('error', (error) => reject(Object.assign(error, { reused: asked.reusedSocket })))
      .end(body)
  })
}

/** Publishes, by default from an address of its own, with these headers besides the usual ones. */
export function publishThrough(
  proxy: ProxyServer,
  text: string,
  from = nextSource(),
  more: Record<string, string> = {},
) {
  const body = JSON.stringify({ ...DRAFT, text })
  return ask(proxy, '/api/events', { from, method: 'POST', headers: { ...WRITES, ...more }, body })
}

/** An open page that follows the stream. */
export async function follow(proxy: ProxyServer) {
  const session = visit(proxy)
  const stream = session.request({ ':path': '/api/events/stream' }).setEncoding('utf8')
  let received = ''
  let ended = false
  const over = () => {
    ended = true
  }
  session.on('error', over)
  stream
    .on('data', (text) => {
      received += text
    })
    .on('error', over)
    .on('close', over)
  /** Waits until it has received this. */
  const gets = (words: string, orEnds = false) =>
    soon(() => {
      if (received.includes(words) || (orEnds && ended)) return
      throw new Error(`no "${words}" in:\n${received}`)
    })
  await gets('data: ')
  return { gets, ended: () => ended, protocol: session.alpnProtocol, stop: () => session.destroy() }
}
