import type { IncomingMessage, RequestListener } from 'node:http'
import { Problem } from '../core/problem.ts'
import { gather } from '../http/input.ts'
import type { UnverifiedBody } from '../http/unverified.ts'
import { MAX_NOTIFICATION_BYTES, WEBHOOKS_PATH } from '../http/webhooks.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import { answerProblem, headerValue } from './refusals.ts'
import { hasBody } from './request-queue.ts'

/**
 * Reads the body of a notification before the router, because anybody can begin one that never ends. In the router,
 * each would take 60 KiB beside its bytes; here it takes 10.
 */
export function readAhead(placard: Placard, routed: RequestListener): RequestListener {
  const { refusals } = internalsOf(placard)
  return (request, response) => {
    if (request.method !== 'POST' || !isNotification(request.url)) return routed(request, response)
    const { headers, socket } = request
    const refuse = (error: unknown) => {
      answerProblem(response, Problem.from(error), refusals)
      request.on('data', free)
    }
    let body: UnverifiedBody
    try {
      const info = { address: socket.remoteAddress }
      body = placard.admitNotification((name) => headerValue(headers[name]), info)
    } catch (error) {
      return refuse(error)
    }
    const gathered = gather(MAX_NOTIFICATION_BYTES, free)
    let reading = true
    const stop = () => {
      reading = false
      body.leave()
    }
    const drop = () => {
      if (reading) gathered.drop()
      stop()
    }
    const fail = (error: unknown) => {
      if (!reading) return
      drop()
      refuse(error)
    }
    const end = () => {
      if (!reading) return
      stop()
      routed(withBody(request, gathered.bytes()), response)
    }
    const take = (chunk: Buffer<ArrayBuffer>) => {
      if (reading) body.grow(chunk.byteLength)
      // Growing may have aborted it.
      if (reading) gathered.add(chunk)
      else free(chunk)
    }
    body.signal.addEventListener('abort', () => fail(body.signal.reason))
    if (body.signal.aborted) return fail(body.signal.reason)
    // Node reports no end for a request without a body.
    if (!hasBody(request)) return end()
    request.on('data', (chunk: Buffer<ArrayBuffer>) => {
      try {
        take(chunk)
      } catch (error) {
        fail(error)
        free(chunk)
      }
    })
    request.on('end', end).on('close', drop)
  }
}

/** Whether the router would take this for a notification, even if its path is written differently. */
function isNotification(url = ''): boolean {
  if (url === WEBHOOKS_PATH) return true
  try {
    return decodeURI(new URL(url, 'http://localhost').pathname) === WEBHOOKS_PATH
  } catch {
    return false
  }
}

/** The router looks for an already read body under this name. */
function withBody(request: IncomingMessage, bytes: Uint8Array<ArrayBuffer>): IncomingMessage {
  const { buffer, byteOffset, byteLength } = bytes
  return Object.assign(request, { rawBody: Buffer.from(buffer, byteOffset, byteLength) })
}

/**
 * Frees the memory of unshared bytes at once. The garbage collector waits until there is a lot to collect. Until then,
 * the bytes of refused requests would add up to a hundred times the limit.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  // An empty buffer may have been freed before, and would throw the second time.
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    buffer.transfer(0)
  }
}
