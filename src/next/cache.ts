import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import { revalidateTag } from 'next/cache.js'
import { TAG } from '../commands.ts'
import { type Log, unfailing } from '../core/log.ts'
import { internalsOf } from '../internals.ts'
import { createPlacard } from '../placard.ts'
import type { PlacardOptions } from '../placard-options.ts'

export type NextPlacardOptions = Omit<PlacardOptions, 'onChange' | 'metrics'> & {
  /**
   * The address at which this process reaches itself. Default: `http://localhost` at `PORT`, or at 3000. Set it if the
   * app has a `basePath` or listens on another host: `http://localhost:3000/shop`.
   */
  origin?: string | undefined
}

/** What all bundles of one process share. */
export type NextState = ReturnType<typeof open>

/** When to drop pages whose rendering began before a change and ended after it, in seconds after the change. */
const LATE_S = [1, 10]
/** How often to check whether every server is stopping; if so, the open streams are closed. */
const STOP_LOOK_MS = 200
/** How long a request to the app itself may take. */
const REQUEST_MS = 5_000

/** @throws TypeError as `createPlacard` does */
export function open({ origin, ...options }: NextPlacardOptions) {
  const log = unfailing(options.log ?? toConsole)
  const onChange = () => {
    try {
      invalidate(state)
    } catch (error) {
      // `watch` then makes a request instead. Any other error goes to the sender of the write (contract W7).
      if (!isOutsideRequest(error)) throw error
    }
  }
  const placard = createPlacard({ knowsIcon, ...options, log, onChange })
  const { showing, store } = internalsOf(placard).service
  const state = {
    placard,
    /** Whether the process does anything between two requests. If not, only writes and ticks invalidate tags. */
    background: store.watch !== undefined,
    /** When something starts or ends next: milliseconds since 1970, or infinity. */
    until: showing.until,
    /** The number of changes, and of those for which Next's cache was invalidated. */
    changes: 0,
    invalidated: -1,
    origin,
    log,
    /** The name of the header into which `watch` writes each request's peer. It is random, so no client knows it. */
    peerHeader: undefined as string | undefined,
    /** Whether it was logged that the announcement can't be read. */
    blind: false,
  }
  placard.subscribe(() => {
    state.changes++
  })
  return state
}

/** Loaded with the first write that names an icon, because the icons take 610 KB. */
const knowsIcon = async (name: string) => (await import('../bar/icon.ts')).iconBody(name) !== null

/** Whether `revalidateTag` was called outside of a request, for example from a timer. The error has no code. */
function isOutsideRequest(error: unknown): boolean {
  return error instanceof Error && error.message.includes('static generation store missing')
}

/**
 * Drops all tagged output, so the next request renders it again. It must be `expire: 0`, because `'max'` serves the old
 * page once more, and an API route may not call `updateTag`.
 *
 * Next dates a page by the end of its rendering, so a page that was rendering during a change would count as new. To
 * drop it too, each page also has tags with the number of the latest change when its rendering began, and these are
 * expired again a little later.
 * Short-lived processes can't count changes. There, all pages have the same tags, so a page that was rendered after the
 * change is dropped too, which costs a rendering.
 */
export function invalidate(state: NextState): void {
  revalidateTag(TAG, { expire: 0 })
  const drop = (change?: number) => {
    for (const late of LATE_S) revalidateTag(tagOf(late, change), { expire: late })
  }
  if (!state.background) drop()
  else for (; state.invalidated < state.changes; state.invalidated++) drop(state.invalidated)
}

/** The tags of output that is rendered from now on. */
export function tagsOf({ background, changes }: NextState): string[] {
  return [TAG, ...LATE_S.map((late) => tagOf(late, background ? changes : undefined))]
}

/** The numbers start again at 0 after a thousand changes, so that Next's list of tags stays short. */
function tagOf(late: number, change?: number): string {
  return change === undefined ? `${TAG}+${late}` : `${TAG}:${change % 1_000}+${late}`
}

/** Records each request's peer, ends the streams at a stop, and invalidates tags on changes that no request makes. */
export function watch(state: NextState): void {
  // `next dev` registers again after an edit.
  if (state.peerHeader || !state.background) return
  const peerHeader = `x-placard-peer-${crypto.randomUUID()}`
  state.peerHeader = peerHeader
  const servers = new Set<Server>()
  // Next gives route handlers no socket, and passes on `X-Forwarded-For` from any client.
  subscribe('http.server.request.start', (message) => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    request.headers[peerHeader] = request.socket.remoteAddress ?? ''
    if (!('x-forwarded-for' in request.headers)) request.headers[`${peerHeader}-direct`] = '1'
    // A server that gets its connections from another server never listens.
    if (server.listening) servers.add(server)
  })
  // An open stream would keep a stopping server from closing. This polls the servers, because a signal handler would
  // disable the default effect of the signal, and a custom server without a handler of its own would never end.
  setInterval(() => {
    if (servers.size === 0 || [...servers].some(({ listening }) => listening)) return
    state.placard.streams.close()
    // A stopping server closes idle connections only once. Those of the streams become idle only now, and would
    // otherwise stay open for seconds.
    for (const server of servers) server.closeIdleConnections()
  }, STOP_LOOK_MS).unref()

  let requesting = false
  /** Sends a request to this process, because Next invalidates a tag only within a request. */
  async function requestInvalidation() {
    if (requesting) return
    requesting = true
    const url = `${state.origin ?? `http://localhost:${process.env.PORT ?? 3000}`}/api/events`
    for (let wait = 0, tries = 0; ; wait = Math.min(wait * 2 + 10, 5_000), tries++) {
      // The first wait is one turn of the event loop. By then, a write has invalidated the tag itself.
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
    // biome-ignore lint/suspicious/noConsole: that is where a Next app logs
    console[level](`placard: ${message}`, ...(Object.keys(fields).length > 0 ? [fields] : []))

export const toConsole: Log = { info() {}, warn: print('warn'), error: print('error') }
