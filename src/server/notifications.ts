import type { IncomingMessage, RequestListener } from 'node:http'
import { tryDecodeURI } from 'hono/utils/url'
import { Problem } from '../core/problem.ts'
import { gather } from '../http/input.ts'
import type { UnverifiedBody } from '../http/unverified.ts'
import { MAX_NOTIFICATION_BYTES, WEBHOOKS_PATH } from '../http/webhooks.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import { answerProblem, headerValue, senderOf } from './refusals.ts'
import { hasBody } from './request-queue.ts'

/**
 * Reads the body of a notification before the router does, because anyone can start sending a body and never finish.
 * Each unfinished body would take 60 KiB in the router, but takes 10 KiB here, in addition to its bytes.
 */
export function readAhead(placard: Placard, routed: RequestListener): RequestListener {
  const { service, refusals } = internalsOf(placard)
  return (request, response) => {
    if (!isNotification(request)) return routed(request, response)
    const { headers } = request
    const gathered = gather(MAX_NOTIFICATION_BYTES, free)
    let body: UnverifiedBody | undefined
    let reading = true
    const stop = (next: () => void) => {
      if (!reading) return
      reading = false
      body?.leave()
      next()
    }
    const fail = (error: unknown) =>
      stop(() => {
        gathered.drop()
        answerProblem(response, Problem.from(error), refusals)
        request.on('data', free)
      })
    const end = () => stop(() => routed(withBody(request, gathered.bytes()), response))
    const take = (chunk: Buffer<ArrayBuffer>) => {
      if (!reading) return
      // The length is read first, because `add` may free the chunk.
      const { byteLength } = chunk
      try {
        gathered.add(chunk)
        body?.grow(byteLength)
      } catch (error) {
        fail(error)
        free(chunk)
      }
    }
    try {
      const header = (name: string) => headerValue(headers[name])
      body = service.webhooks.admit(header, service.addressOf(senderOf(request)), fail)
    } catch (error) {
      return fail(error)
    }
    if (!reading) return
    // Node emits no `end` for a request without a body.
    if (!hasBody(request)) return end()
    const left = () => stop(gathered.drop)
    request.on('data', take).on('end', end).on('close', left)
  }
}

/** Whether the router would treat a request as a notification, even if its path is percent-encoded. */
export function isNotification({ method, url = '' }: IncomingMessage): boolean {
  if (method !== 'POST') return false
  if (url === WEBHOOKS_PATH) return true
  const { pathname = '' } = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url) ?? {}
  return tryDecodeURI(pathname) === WEBHOOKS_PATH
}

/** Attaches the body as `rawBody`, where the router looks for a body that has already been read. */
function withBody(request: IncomingMessage, bytes: Uint8Array<ArrayBuffer>): IncomingMessage {
  const { buffer, byteOffset, byteLength } = bytes
  return Object.assign(request, { rawBody: Buffer.from(buffer, byteOffset, byteLength) })
}

/**
 * Frees bytes immediately, unless they share their buffer with other data. Left to the garbage collector,
 * the bytes of rejected requests would add up to a hundred times the limit.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  // An empty buffer may have been freed before, and `transfer` would throw the second time.
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    buffer.transfer(0)
  }
}
