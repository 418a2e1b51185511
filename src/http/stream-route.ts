import { choicesFor } from '../core/language.ts'
import { memoize } from '../core/once.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { EVENTS_PATH } from './documents.ts'
import { NO_STORE, staleness } from './headers.ts'
import type { RouteRequest, Routes } from './route.ts'
import type { ServiceParts } from './service-parts.ts'
import { MAX_WAITING_BYTES, type Sink, type Streams, type WantedBars } from './stream.ts'

export const STREAM_PATH = `${EVENTS_PATH}/stream`

export function streamHeaders(snapshot: Snapshot): Record<string, string> {
  return {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    // Keeps service workers from storing the stream, which they would replay to the next page.
    Vary: '*',
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    // Without this header, nginx would hold messages back until its buffer is full.
    'X-Accel-Buffering': 'no',
    ...staleness(snapshot),
  }
}

/** For how many languages a stream carries bars. Only an attacker sends more. */
const MAX_TAGS = 20
/** How long a query may be. The engine keeps all of a query for as long as a part of it is used. */
const MAX_LENGTH = 1_000

/** How many queries to remember. Few differ, because most pages have the latest bar. */
const MAX_QUERIES = 200
const known = new Map<string, WantedBars | undefined>()

/**
 * The bars that a stream should carry, if its query names any. Streams with the same query share one object, which
 * saves memory, and time on each change.
 */
export function wantedIn(query: string): WantedBars | undefined {
  if (query.length > MAX_LENGTH) return undefined
  if (known.size >= MAX_QUERIES && !known.has(query)) known.clear()
  return memoize(known, query, () => parse(new URLSearchParams(query)))
}

function parse(query: URLSearchParams): WantedBars | undefined {
  const [embed, page] = [query.get('bar'), query.get('page')]
  const tags = embed ?? page
  if (tags === null) return undefined
  return {
    kind: embed === null ? 'page' : 'embed',
    // Computed once for each stream, not for each change, which is sent to thousands of pages at a time.
    languages: tags.split(',', MAX_TAGS).map((tag) => choicesFor(tag)),
    has: query.get('has') ?? '',
  }
}

export const streamRoutes: Routes = {
  [`GET ${STREAM_PATH}`]: {
    guard: 'open',
    readable: true,
    operationId: 'followEvent',
    summary: 'Follow the current announcement as server-sent events',
    description:
      'In each message, `data` is the body of `GET /api/events`, and `id` is its ETag. With `bar`, `data` is the body of `GET /embed.json` in each language, and if `has` is the current `id`, the first message contains only the `id`.',
    query: {
      bar: 'BCP 47 tags, separated by commas: sends the bar in these languages.',
      has: 'The `id` of the bar that the client has.',
    },
    responses: {
      200: [
        'The stream, which stays open, with an `alive` event every 15 s.',
        'text/event-stream',
        ['X-Content-Type-Options', 'X-Accel-Buffering', 'Placard-Stale'],
      ],
      204: ['There is no stream, because no process stays alive between requests. Poll instead.'],
    },
    problems: [500],
    handle: openStream,
  },
}

async function openStream(routed: RouteRequest, { store, showing, streams }: ServiceParts) {
  if (store.watch) return streamResponse(streams, await showing.read(), routed)
  // After a 204, an `EventSource` doesn't reconnect.
  const headers = { ...NO_STORE, 'Access-Control-Allow-Origin': '*' }
  return new Response(null, { status: 204, headers })
}

/**
 * Creates a stream as a web-standard response, for every runtime. If the runtime provides no `hangUp`, `close` ends the
 * stream, with an error if the client has stopped reading.
 */
function streamResponse(
  streams: Streams,
  snapshot: Snapshot,
  { request, address, hangUp }: RouteRequest,
): Response {
  const headers = streamHeaders(snapshot)
  if (request.method === 'HEAD') return new Response(null, { headers })
  let leave: () => void
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        const waiting = () => MAX_WAITING_BYTES - (controller.desiredSize ?? MAX_WAITING_BYTES)
        const sink: Sink = {
          write: (chunk) => controller.enqueue(chunk),
          waiting,
          close() {
            // Only an error frees unread data, but it is the last resort, because servers print errors outside our log.
            if (hangUp) hangUp()
            else if (waiting() > 0) controller.error(new Error('The client stopped reading'))
            else controller.close()
          },
        }
        leave = streams.open(sink, address, wantedIn(new URL(request.url).search.slice(1)))
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  )
  return new Response(body, { headers })
}
