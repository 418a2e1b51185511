import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { requestIdOf } from '../http/request-id.ts'
import type { Log } from '../log.ts'
import { Problem, type ProblemCode } from '../problem.ts'

/** What Node says when a client leaves in the middle of a request, which is no error of anybody's. */
const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'])

/** What Node says of bytes that it can't take for a request, and what its sender is told. */
const BROKEN: Record<string, [code: ProblemCode, message: string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers must not be larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long; send it at once'],
}

/**
 * Answers what never becomes a request for the router as every other refusal is answered: with JSON, with an id, and
 * with a line in the log (contract R6).
 */
export function answerRefusals(server: Server, log: Log): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody is left to be told, or an answer is being written already.
    if (HUNG_UP.has(error.code ?? '') || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    const [code, message] = BROKEN[error.code ?? ''] ?? [
      'invalid_request',
      'This is not a request in HTTP/1.1',
    ]
    refuse(socket, new Problem(code, message), log, { reason: error.code })
  })
  server.on('connect', ({ method }: IncomingMessage, socket: Duplex) => {
    // Node has let go of the connection: unheard, its loss would end the process.
    socket.on('error', () => {})
    const problem = new Problem('method_not_allowed', 'CONNECT is not allowed here', {
      headers: { Allow: 'GET, HEAD' },
    })
    refuse(socket, problem, log, { method })
  })
  server.on('checkExpectation', ({ method }: IncomingMessage, response: ServerResponse) => {
    const problem = new Problem('expectation_failed', 'Only 100-continue can be expected here')
    answer(response, problem, log, { method })
  })
}

/**
 * Passes on what has an address. Node would refuse a request without a Host by itself, an HTTP/1.0 one too, which load
 * balancers send to see whether a service is up.
 */
export function addressed(listener: RequestListener, log: Log): RequestListener {
  return (request, response) => {
    const { headers, httpVersion, url, method } = request
    if (headers.host === undefined && httpVersion === '1.1') {
      answer(response, new Problem('invalid_request', 'The header Host is missing'), log, {
        method,
      })
    } else if (url === '*') {
      answer(response, new Problem('not_found', 'There is nothing at this path'), log, { method })
    } else listener(request, response)
  }
}

/** Answers a request that has reached a listener. */
function answer(response: ServerResponse, problem: Problem, log: Log, fields: object = {}): void {
  const { id, headers, body } = form(problem)
  log.info({ requestId: id, status: problem.status, ...fields }, 'refused a request')
  response.writeHead(problem.status, headers).end(body)
}

/** Writes an answer to a connection that has no response to write it with, and ends it. */
function refuse(socket: Duplex, problem: Problem, log: Log, fields: object): void {
  const { id, headers, body } = form(problem)
  log.info({ requestId: id, status: problem.status, ...fields }, 'refused a request')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${problem.status} Refused`, ...lines, 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
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

/** Whether a response has begun on this connection: another one after it would be taken for its body. */
function isAnswering(socket: Duplex): boolean {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null }
  return response?.headersSent === true && !response.writableEnded
}
