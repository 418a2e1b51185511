import type { IncomingMessage, RequestListener } from 'node:http'
import { tryDecodeURI } from 'hono/utils/url'
import { gather } from '../http/input.ts'
import { MAX_NOTIFICATION_BYTES, WEBHOOKS_PATH } from '../http/webhooks.ts'

/** How many notifications may be arriving at once. */
const MAX_UNFINISHED = 128

/** Whether the router would treat a request as a notification, even if its path is percent-encoded. */
export function isNotification({ method, url = '' }: IncomingMessage): boolean {
  if (method !== 'POST') return false
  const { pathname = '' } = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url) ?? {}
  return tryDecodeURI(pathname) === WEBHOOKS_PATH
}

/**
 * Collects the bodies of notifications, and passes each on once it is complete. The router would take ten times as much
 * memory and time for a body that is still arriving. A signature can't be checked before the body is complete, so
 * anyone can start sending a body and never finish. If too many are arriving, the oldest is disconnected (contract W1);
 * an honest sender would have finished by then.
 */
export function bufferNotifications(next: RequestListener): RequestListener {
  /** For each notification that is arriving, oldest first, a function that ends it. */
  const unfinished = new Set<() => void>()
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    const isTooLong = Number(length) > MAX_NOTIFICATION_BYTES
    // With `optimizeEmptyRequests`, Node emits no `end` for a request without a body.
    const hasBody = length !== undefined || coding !== undefined
    if (!hasBody || isTooLong || !isNotification(request)) return next(request, response)
    const body = gather()
    const leave = () => {
      unfinished.delete(drop)
      request.off('data', take).off('end', route).off('close', drop)
    }
    const drop = () => {
      leave()
      request.destroy()
      body.free()
    }
    const route = () => {
      leave()
      // The router looks here for a body that has been read.
      next(Object.assign(request, { rawBody: Buffer.from(body.bytes().buffer) }), response)
    }
    const take = (chunk: Uint8Array) => {
      // The router rejects a body that is too long, and discards the rest.
      if (body.add(chunk) > MAX_NOTIFICATION_BYTES) route()
    }
    request.on('data', take).on('end', route).on('close', drop)
    unfinished.add(drop)
    const [oldest] = unfinished
    if (unfinished.size > MAX_UNFINISHED) oldest?.()
  }
}
