const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  // What an `EventSource` sends. The headers of a write stay refused, so no page writes across origins.
  'Access-Control-Allow-Headers': 'cache-control, last-event-id',
  'Access-Control-Max-Age': '86400',
}

/**
 * Answers a preflight (contract R5). Chromium sends one for an `EventSource` that a service worker passes on, because
 * it takes the headers of the stream for headers that the page has set.
 *
 * @returns `undefined` if the request isn't a preflight
 */
export function preflight({ method, headers }: Request): Response | undefined {
  const asksToRead =
    method === 'OPTIONS' &&
    headers.has('origin') &&
    /^(GET|HEAD)$/.test(headers.get('access-control-request-method') ?? '')
  return asksToRead ? new Response(null, { status: 204, headers: HEADERS }) : undefined
}
