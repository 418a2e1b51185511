import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import { revalidateTag } from 'next/cache.js'
import { CACHE_TAG } from '../core/cache-tag.ts'
import { type Clock, later, systemClock } from '../core/clock.ts'
import { type Log, unfailing } from '../core/log.ts'
import { internalsOf } from '../internals.ts'
import { createPlacard } from '../placard.ts'
import type { PlacardOptions } from '../placard-options.ts'

/** The options of `createPlacard` that a Next.js app may set, and the app's own address. */
export type NextPlacardOptions = Omit<PlacardOptions, 'onChange' | 'metrics'> & {
  /**
   * The address at which this process can send requests to itself. Default: `http://localhost` with the port in `PORT`,
   * or 3000. Set this if the app has a `basePath` or listens on a different host: `http://localhost:3000/shop`.
   */
  origin?: string | undefined
}

/** The state that all bundles in a process share. */
export type NextState = ReturnType<typeof open>

/** When to drop pages whose rendering began before a change and ended after it, in seconds after the change. */
const LATE_S = [1, 10]
/** How often to check whether every server is stopping. If so, the open streams are closed. */
const STOP_LOOK_MS = 200
/** How long a request to the app itself may take. */
const REQUEST_MS = 5_000

export type Outside = <Result>(work: () => Result) => Result

/**
 * Opens the service.
 *
 * @param outside runs work outside of any request. A timer that a request started would still belong to that request,
 *   and Next ignores an invalidation by a request that is over
 * @throws TypeError as `createPlacard` does
 */
export function open(
  { origin, ...options }: NextPlacardOptions,
  outside: Outside = (work) => work(),
) {
  const clock: Clock = {
    ...systemClock,
    later: (ms, work) => later(systemClock, ms, () => outside(work)),
  }
  const log = unfailing(options.log ?? toConsole)
  const onChange = () => {
    try {
      invalidate(state)
    } catch (error) {
      // This error means that no request was in progress, so `watch` sends one. Any other error goes to the client that
      // made the write (W7).
      if (!isOutsideRequest(error)) throw error
    }
  }
  const placard = createPlacard({ knowsIcon, clock, ...options, log, onChange })
  const { showing, store } = internalsOf(placard).service
  const state = {
    placard,
    /** Whether the process keeps running between requests. If not, only writes and calls of `/tick` invalidate tags. */
    background: store.watch !== undefined,
    /** Returns the time of the next start or end: milliseconds since 1970, or infinity. */
    until: showing.until,
    /** How many changes there have been, and for how many of them Next's cache was invalidated. */
    changes: 0,
    invalidated: -1,
    origin,
    log,
    /** The header into which `watch` writes the address of a request's peer. Clients can't guess its random name. */
    peerHeader: undefined as string | undefined,
    /** Whether the log already says that the announcement can't be read. */
    blind: false,
  }
  placard.subscribe(() => {
    state.changes++
  })
  return state
}

/** Loads the icons (610 KB) only when a write names an icon. */
const knowsIcon = async (name: string) => (await import('../bar/icon.ts')).knowsIcon(name)

/** Whether `revalidateTag` was called outside of a request, for example from a timer. Next's error has no code. */
function isOutsideRequest(error: unknown): boolean {
  return error instanceof Error && error.message.includes('static generation store missing')
}

/**
 * Drops all tagged output, so the next request renders it again. `expire: 0` is necessary, because `'max'` serves the
 * stale page to one more request, and an API route can't call `updateTag`.
 *
 * Next.js timestamps a page when its rendering ends, so a page that was being rendered during a change would seem newer
 * than the change. To drop that page too, each page also has tags that contain the number of changes before its
 * rendering began. These tags expire soon after the next change. Processes that end between requests have no common
 * count of changes, so they leave it out, and all their pages have the same tags. When these tags expire, a page that
 * was rendered after the change is dropped too, and has to be rendered once more.
 */
export function invalidate(state: NextState): void {
  revalidateTag(CACHE_TAG, { expire: 0 })
  const drop = (change?: number) => {
    for (const late of LATE_S) revalidateTag(tagOf(late, change), { expire: late })
  }
  if (!state.background) drop()
  else for (; state.invalidated < state.changes; state.invalidated++) drop(state.invalidated)
}

/** The tags for output whose rendering begins now. */
export function tagsOf({ background, changes }: NextState): string[] {
  return [CACHE_TAG, ...LATE_S.map((late) => tagOf(late, background ? changes : undefined))]
}

/** The numbers in tags start again at 0 after a thousand changes, so that Next's list of tags stays short. */
function tagOf(late: number, change?: number): string {
  return change === undefined ? `${CACHE_TAG}+${late}` : `${CACHE_TAG}:${change % 1_000}+${late}`
}

/** Records requests' peers, closes streams when the server stops, and invalidates tags on changes outside a request. */
export function watch(state: NextState): void {
  // `next dev` calls `register` again after an edit of the app's code.
  if (state.peerHeader || !state.background) return
  const peerHeader = `x-placard-peer-${crypto.randomUUID()}`
  state.peerHeader = peerHeader
  const servers = new Set<Server>()
  // Next gives route handlers no socket, and passes on `X-Forwarded-For` from any client.
  subscribe('http.server.request.start', (message) => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    request.headers[peerHeader] = request.socket.remoteAddress ?? ''
    if (!('x-forwarded-for' in request.headers)) request.headers[`${peerHeader}-direct`] = '1'
    // A server that gets its connections from another server never listens itself.
    if (server.listening) servers.add(server)
  })
  // An open stream would keep a stopping server from closing. The servers are polled, because a signal handler would
  // disable the signal's default effect, and a custom server without a handler of its own would never exit.
  setInterval(() => {
    if (servers.size === 0 || [...servers].some(({ listening }) => listening)) return
    state.placard.streams.close()
    // A stopping server closes idle connections only once. The streams' connections become idle later than that, and
    // would otherwise stay open for seconds.
    for (const server of servers) server.closeIdleConnections()
  }, STOP_LOOK_MS).unref()

  let requesting = false
  /** Sends a request to this process, because Next invalidates a tag only within a request. */
  async function requestInvalidation() {
    if (requesting) return
    requesting = true
    const url = `${state.origin ?? `http://localhost:${process.env.PORT ?? 3000}`}/api/events`
    for (let wait = 0, tries = 0; ; wait = Math.min(wait * 2 + 10, 5_000), tries++) {
      // The first wait is one turn of the event loop, so that the request that made the change can invalidate the tag.
      await new Promise((resolve) => setTimeout(resolve, wait))
      if (state.invalidated >= state.changes) break
      const signal = AbortSignal.timeout(REQUEST_MS)
      await fetch(url, { method: 'HEAD', signal }).catch(() => {})
      if (tries === 10) state.log.error({ url }, "the app can't reach itself: set origin")
    }
    requesting = false
  }
  state.placard.subscribe(requestInvalidation)
  requestInvalidation()
}

const print =
  (level: 'warn' | 'error') =>
  (fields: object, message: string): void =>
    // biome-ignore lint/suspicious/noConsole: a Next app logs to the console
    console[level](`placard: ${message}`, ...(Object.keys(fields).length > 0 ? [fields] : []))

export const toConsole: Log = { info() {}, warn: print('warn'), error: print('error') }
