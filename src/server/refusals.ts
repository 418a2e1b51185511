import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { requestIdOf } from '../http/request-id.ts'
import type { Log } from '../log.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import { latestAnswerOn } from './turns.ts'

/** What Node says when a client leaves in the middle of a request, which is no error of anybody's. */
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'])

/** What Node says of bytes that it can't take for a request, and what its sender is told. */
const BROKEN: Record<string, [code: ProblemCode, message: string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers must not be larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long; send it at once'],
}

/** A refused client may go on sending for so long: hung up on at once, it would not read the answer. */
const LINGER_MS = 500
const EXPECTED = /(^|\W)100-continue($|\W)/i
/** A name or an address, with or without a port (RFC 3986). An empty one is lawful. */
const HOST = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i

/**
 * Answers what never becomes a request for the router as every other refusal is answered: with JSON, with an id, and
 * with a line in the log (contract R6).
 *
 * @param listener the server's own, for requests that Node would refuse before it is asked
 */
export function answerRefusals(server: Server, listener: RequestListener, log: Log): void {
  const refused = new WeakSet<Duplex>()

  function refuse(socket: Socket, problem: Problem, fields: object) {
    refused.add(socket)
    const now = () => socket.writable && write(socket, problem, log, fields)
    const latest = latestAnswerOn(socket)
    if (!latest || (latest.closed && latest.req.complete)) now()
    // What is broken is the body of this request: nobody is answered twice.
    else if (!latest.req.complete) latest.headersSent ? socket.destroy() : now()
    // The requests before it are whole, and get their answers first.
    else latest.once('close', now)
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { code = '' } = error
    // Whatever else it sends is passed over.
    if (refused.has(socket)) return
    // Browsers open connections ahead, and leave some without a request.
    const silent = code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
    if (silent || HUNG_UP.has(code) || !socket.writable) {
      socket.destroy()
      return
    }
    const [problem, message] = BROKEN[code] ?? [
      'invalid_request',
      'This is not a request in HTTP/1.1',
    ]
    refuse(socket, new Problem(problem, message), { reason: code })
  })
  server.on('connect', ({ method, socket }: IncomingMessage) => {
    // Node has let go of the connection: unheard, its loss would end the process.
    socket.on('error', () => {})
    const problem = new Problem('method_not_allowed', 'CONNECT is not allowed here', {
      headers: { Allow: 'GET, HEAD' },
    })
    refuse(socket, problem, { method })
  })
  server.on('checkExpectation', listener)
}

/**
 * Passes on what has an address and expects nothing out of the way. Node would refuse a request without a Host by itself,
 * an HTTP/1.0 one too, which load balancers send to see whether a service is up.
 *
 * Cost of a request: its Host is compared with the last.
 */
export function addressed(listener: RequestListener, log: Log): RequestListener {
  let lawful: string | undefined

  function problemIn({ headers, httpVersion, url }: IncomingMessage): Problem | undefined {
    const { host, expect } = headers
    const modern = httpVersion === '1.1'
    if (host === undefined) {
      if (modern) return new Problem('invalid_request', 'The header Host is missing')
    } else if (host !== lawful) {
      if (!HOST.test(host)) return new Problem('invalid_request', 'The header Host is not valid')
      lawful = host
    }
    if (expect !== undefined && modern && !EXPECTED.test(expect)) {
      return new Problem('expectation_failed', 'Only 100-continue can be expected here')
    }
    if (url === '*') return new Problem('not_found', 'There is nothing at this path')
    return undefined
  }

  return (request, response) => {
    const problem = problemIn(request)
    if (!problem) return listener(request, response)
    answer(response, problem, log, { method: request.method })
  }
}

/** Answers a request that has reached a listener. */
export function answer(response: ServerResponse, problem: Problem, log: Log, fields: object): void {
  const { id, headers, body } = form(problem)
  log.info({ requestId: id, status: problem.status, ...fields }, 'refused a request')
  response.writeHead(problem.status, headers).end(body)
  const { req: request } = response
  const hangUp = () => {
    if (!request.complete) request.socket.destroy()
  }
  // With this header, Node hangs up by itself, and at once.
  if (problem.headers.Connection !== 'close') setTimeout(hangUp, LINGER_MS).unref()
}

/** Writes an answer to a connection that has no response to write it with, and ends it. */
function write(socket: Socket, problem: Problem, log: Log, fields: object): void {
  const { id, headers, body } = form(problem)
  log.info({ requestId: id, status: problem.status, ...fields }, 'refused a request')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${problem.status} Refused`, ...lines, 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Nobody else looks after it any more.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function form(problem: Problem) {
  const id = requestIdOf(null)
  const body = problem.toBody()
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...problem.headers,
    'X-Request-Id': id,
  }
  return { id, headers, body }
}
