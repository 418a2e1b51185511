import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Problem, type ProblemCode } from '../core/problem.ts'
import type { Sender } from '../http/arrivals.ts'
import type { RefusalLog } from '../http/responder.ts'
import { type Handler, unfinishedResponseOn } from './request-queue.ts'

/** Node's error codes for a client that disconnects in the middle of a request. Such requests aren't logged. */
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'])

/** Node's error codes for requests that are invalid or too slow, and our responses to them. */
const BROKEN: Record<string, [code: ProblemCode, message: string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers must not be larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive; try again'],
}

/** How long a client may go on sending after an error response: if we hung up at once, the response would be lost. */
const LINGER_MS = 500
const EXPECTED = /(^|\W)100-continue($|\W)/i

/**
 * Rejects requests that never reach the router. Each error response is JSON with a request id, and is logged as
 * contract R6 says.
 *
 * @param listener the server's own listener, which also gets requests with an `Expect` that Node itself would reject
 */
export function answerRefusals(server: Server, listener: RequestListener, log: RefusalLog): void {
  const refused = new WeakSet<Duplex>()

  function refuse(socket: Socket, problem: Problem, fields: object) {
    refused.add(socket)
    const now = () => socket.writable && write(socket, problem, log, fields)
    const latest = unfinishedResponseOn(socket)
    if (!latest) now()
    // The body of the latest request is broken, and that request must not get a second response.
    else if (!latest.req.complete) {
      if (latest.headersSent) socket.destroy()
      else if (latest.socket) now()
      // Earlier requests get their responses first.
      else latest.once('socket', now)
    }
    // The requests before the broken bytes are complete, so their responses come first.
    else latest.once('close', now)
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { code = '' } = error
    // After an error response, the rest of the request is ignored.
    if (refused.has(socket)) return
    // Browsers open connections in advance, and never use some of them.
    const silent = code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
    if (silent || HUNG_UP.has(code) || !socket.writable) {
      socket.destroy()
      return
    }
    const [problem, message] = BROKEN[code] ?? [
      'invalid_request',
      'This is not a valid HTTP/1.1 request',
    ]
    refuse(socket, new Problem(problem, message), { reason: code })
  })
  server.on('connect', ({ method, socket }: IncomingMessage) => {
    // Node has removed its own listeners. Without a listener for `error`, a broken connection would end the process.
    socket.on('error', () => {})
    const problem = new Problem('method_not_allowed', 'CONNECT is not allowed here', {
      headers: { Allow: 'GET, HEAD' },
    })
    refuse(socket, problem, { method })
  })
  server.on('checkExpectation', listener)
}

/**
 * Rejects HTTP/1.1 requests without a Host or with an unknown `Expect`, and passes on all others. Load balancers use
 * HTTP/1.0, which needs no Host, for health checks. The router rejects an invalid Host.
 */
export function addressed(handler: Handler, log: RefusalLog): Handler {
  return (request, response) => {
    const { host, expect } = request.headers
    const isStrict = request.httpVersion === '1.1'
    if (isStrict && host === undefined) {
      const problem = new Problem('invalid_request', 'The Host header is missing')
      return answerProblem(response, problem, log)
    }
    if (isStrict && expect !== undefined && !EXPECTED.test(expect)) {
      const message = 'The only valid Expect is 100-continue'
      return answerProblem(response, new Problem('expectation_failed', message), log)
    }
    return handler(request, response)
  }
}

/** Sends an error response to a request that has reached a listener, and logs the request. */
export function answerProblem(response: ServerResponse, problem: Problem, log: RefusalLog): void {
  const { req: request } = response
  const id = log.idOf(headerValue(request.headers['x-request-id']))
  const { headers, body } = form(problem, id)
  const { status } = problem
  const from = senderOf(request)
  log.note(from, { requestId: id, ...log.describe(request), status, reason: problem.message })
  response.writeHead(status, headers).end(body)
  const hangUp = () => {
    if (!request.complete) request.socket.destroy()
  }
  // With `Connection: close`, Node itself closes the connection at once.
  if (problem.headers.Connection !== 'close') setTimeout(hangUp, LINGER_MS).unref()
}

/** Writes an error response straight to a connection that has no response object, and ends the connection. */
function write(socket: Socket, problem: Problem, log: RefusalLog, fields: object): void {
  const id = log.idOf(null)
  const { headers, body } = form(problem, id)
  const { remoteAddress: address } = socket
  log.note({ address }, { requestId: id, ...fields, status: problem.status })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${problem.status} Refused`, ...lines, 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Nothing else would close the connection.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

export function senderOf({ socket, headers }: IncomingMessage): Sender {
  return { address: socket.remoteAddress, forwarded: headerValue(headers['x-forwarded-for']) }
}

function form(problem: Problem, id: string) {
  const body = problem.toBody()
  const headers = {
    ...problem.toHeaders(),
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': id,
  }
  return { headers, body }
}

/** Returns the value of a header. Several headers of the same name are joined by commas, as in the router. */
export function headerValue(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
