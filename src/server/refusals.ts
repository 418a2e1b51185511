import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Problem, type ProblemCode } from '../core/problem.ts'
import type { Sender } from '../http/arrivals.ts'
import type { RefusalLog } from '../http/responder.ts'
import { requestIdOf } from '../http/responder.ts'
import { latestResponseOn } from './request-queue.ts'

/** Node's errors when a client leaves in the middle of a request, which is nobody's fault. */
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'])

/** Node's errors for bytes that aren't a valid request, and our responses to them. */
const BROKEN: Record<string, [code: ProblemCode, message: string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers must not be larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive; try again'],
}

/** How long a refused client may go on sending. If we closed its connection at once, it could not read the response. */
const LINGER_MS = 500
const EXPECTED = /(^|\W)100-continue($|\W)/i

/**
 * Answers requests that never reach the router. Like every refusal, the response is JSON with an id, and is logged as
 * contract R6 says.
 *
 * @param listener the server's own listener. It also gets requests with an `Expect` that Node itself would reject
 */
export function answerRefusals(server: Server, listener: RequestListener, log: RefusalLog): void {
  const refused = new WeakSet<Duplex>()

  function refuse(socket: Socket, problem: Problem, fields: object) {
    refused.add(socket)
    const now = () => socket.writable && write(socket, problem, log, fields)
    const latest = latestResponseOn(socket)
    if (!latest || (latest.closed && latest.req.complete)) now()
    // The body of the latest request is broken. That request must not get a second response.
    else if (!latest.req.complete) latest.headersSent ? socket.destroy() : now()
    // The requests before the broken bytes are complete, so their responses come first.
    else latest.once('close', now)
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { code = '' } = error
    // The request was already refused. The rest of it is ignored.
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
    // Node has removed its own listeners. Without one for errors, a broken connection would end the process.
    socket.on('error', () => {})
    const problem = new Problem('method_not_allowed', 'CONNECT is not allowed here', {
      headers: { Allow: 'GET, HEAD' },
    })
    refuse(socket, problem, { method })
  })
  server.on('checkExpectation', listener)
}

/**
 * Refuses requests without a Host or with an unknown expectation, and passes on all others. HTTP/1.0 needs no
 * Host: load balancers use it for health checks. The router refuses an invalid Host.
 */
export function addressed(listener: RequestListener, log: RefusalLog): RequestListener {
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
    return listener(request, response)
  }
}

/** Refuses a request that has reached a listener. */
export function answerProblem(response: ServerResponse, problem: Problem, log: RefusalLog): void {
  const { id, headers, body } = form(problem)
  const { req: request } = response
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

/** Writes a refusal straight to a connection that has no response object, and ends it. */
function write(socket: Socket, problem: Problem, log: RefusalLog, fields: object): void {
  const { id, headers, body } = form(problem)
  const { remoteAddress: address } = socket
  log.note({ address }, { requestId: id, ...fields, status: problem.status })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${problem.status} Refused`, ...lines, 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Nothing else would close it.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

export function senderOf({ socket, headers }: IncomingMessage): Sender {
  return { address: socket.remoteAddress, forwarded: headerValue(headers['x-forwarded-for']) }
}

function form(problem: Problem) {
  const id = requestIdOf(null)
  const body = problem.toBody()
  const headers = {
    ...problem.toHeaders(),
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': id,
  }
  return { id, headers, body }
}

/** The value of a header. Several headers of one name become a list, as in the router. */
export function headerValue(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value)
}
