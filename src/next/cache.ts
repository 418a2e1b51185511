import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import { revalidateTag } from 'next/cache.js'
import { TAG } from '../commands.ts'
import { type Log, unfailing } from '../core/log.ts'
import { internalsOf } from '../internals.ts'
import { createPlacard, type Placard } from '../placard.ts'
import type { PlacardOptions } from '../placard-options.ts'

export type NextPlacardOptions = Omit<PlacardOptions, 'onChange' | 'metrics'> & {
  /**
   * Where this process reaches itself. Default: the port of `next start` on this machine. Set it if there is a
   * `basePath`, or a host other than the default: `http://localhost:3000/shop`.
   */
  origin?: string | undefined
}

/** What all bundles of one process share. */
export interface NextState {
  placard: Placard
  /** Whether anything happens between two requests. If not, only writes and ticks invalidate. */
  background: boolean
  /** When something starts or ends next: milliseconds since 1970, or infinity. */
  until(): number
  /** Counts the changes, and those for which Next's cache was invalidated. */
  changes: number
  invalidated: number
  origin: string | undefined
  log: Log
  /** The name of the header that `watch` writes each request's peer into. It is random, so no client knows it. */
  peerHeader: string | undefined
  /** Whether the log says already that the announcement can't be read. */
  blind: boolean
}

/** When to drop pages whose rendering began before a change and ended after it: seconds after the change. */
const LATE_S = [1, 10]
/** How often to check whether every server has begun to stop. The open streams end then. */
const STOP_LOOK_MS = 200
/** How long Next may take for a request to itself. */
const REQUEST_MS = 5_000

/** @throws TypeError as `createPlacard` does */
export function open({ origin, ...options }: NextPlacardOptions): NextState {
  const log = unfailing(options.log ?? toConsole)
  const onChange = () => {
    try {
      invalidate(state)
    } catch (error) {
      // `watch` makes a request instead. Any other error goes to the sender of the write (contract W7).
      if (!isOutsideRequest(error)) throw error
    }
  }
  const placard = createPlacard({ knowsIcon, ...options, log, onChange })
  const { background, until } = internalsOf(placard)
  const state: NextState = {
    placard,
    background,
    until,
    changes: 0,
    invalidated: -1,
    origin,
    log,
    peerHeader: undefined,
    blind: false,
  }
  placard.subscribe(() => {
    state.changes++
  })
  return state
}

/** Loaded with the first write that names an icon, because the icons take 610 KB. */
const knowsIcon = async (name: string) => (await import('../bar/icon.ts')).iconBody(name) !== null

/** Whether `revalidateTag` was called outside of a request, from a timer, say. The error has no code. */
function isOutsideRequest(error: unknown): boolean {
  return error instanceof Error && error.message.includes('static generation store missing')
}

/**
 * Drops all tagged output, so the next request renders it again. It has to be `expire: 0`, because `'max'` serves the old
 * page once more, and an API route may not call `updateTag`.
 *
 * Next dates a page by the end of its rendering. So a page that was being rendered during a change would pass for new.
 * Therefore further tags name the change that a page was rendered after, and they are dropped a little later. Processes
 * that come and go can't count changes. There all pages have the same tags, which drop what was rendered by then: a page
 * that was rendered after the change too, which costs a rendering.
 */
export function invalidate(state: NextState): void {
  revalidateTag(TAG, { expire: 0 })
  const drop = (change?: number) => {
    for (const late of LATE_S) revalidateTag(tagOf(late, change), { expire: late })
  }
  if (!state.background) drop()
  else for (; state.invalidated < state.changes; state.invalidated++) drop(state.invalidated)
}

/** The tags of what is rendered from now on. */
export function tagsOf({ background, changes }: NextState): string[] {
  return [TAG, ...LATE_S.map((late) => tagOf(late, background ? changes : undefined))]
}

/** The numbers start again after a thousand, so that Next's list of tags stays short. */
function tagOf(late: number, change?: number): string {
  return change === undefined ? `${TAG}+${late}` : `${TAG}:${change % 1_000}+${late}`
}

/** The peer's address, if it is known: over HTTP/1, once `watch` was called. */
export function peerOf({ peerHeader }: NextState, request: Request): string | undefined {
  return peerHeader && (request.headers.get(peerHeader) ?? undefined)
}

/** Whether the request came without `X-Forwarded-For`, if that is known. By now Next has filled it in with the peer. */
export function cameDirectly({ peerHeader }: NextState, request: Request): boolean {
  return peerHeader !== undefined && request.headers.has(`${peerHeader}-direct`)
}

/** Learns the peers of requests, ends the streams at a stop, and invalidates what changes without a request. */
export function watch(state: NextState): void {
  // `next dev` registers again after an edit.
  if (state.peerHeader || !state.background) return
  const peerHeader = `x-placard-peer-${crypto.randomUUID()}`
  state.peerHeader = peerHeader
  const servers = new Set<Server>()
  // Next gives handlers no socket, and passes on `X-Forwarded-For` from any client.
  subscribe('http.server.request.start', (message) => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    request.headers[peerHeader] = request.socket.remoteAddress ?? ''
    if (!('x-forwarded-for' in request.headers)) request.headers[`${peerHeader}-direct`] = '1'
    // A server that gets its connections from another never listens.
    if (server.listening) servers.add(server)
  })
  // An open stream would keep a stopping server from closing. This looks at the servers, because a signal handler would
  // take away the default effect of the signal, and a custom server without a handler of its own would never end.
  setInterval(() => {
    if (servers.size === 0 || [...servers].some(({ listening }) => listening)) return
    state.placard.streams.close()
    // A stopping server closes the connections that are idle, once. Those of the streams become idle only now, and it
    // would wait for seconds until a client or the time limit closes them.
    for (const server of servers) server.closeIdleConnections()
  }, STOP_LOOK_MS).unref()

  let requesting = false
  /** Makes a request to this process, because Next invalidates a tag only within a request. */
  async function requestInvalidation() {
    if (requesting) return
    requesting = true
    const url = `${state.origin ?? `http://localhost:${process.env.PORT ?? 3000}`}/api/events`
    for (let wait = 0, tries = 0; ; wait = Math.min(wait * 2 + 10, 5_000), tries++) {
      // The first wait is one turn of the event loop. A write has invalidated the tag itself by then.
      await new Promise((resolve) => setTimeout(resolve, wait))
      if (state.invalidated >= state.changes) break
      const signal = AbortSignal.timeout(REQUEST_MS)
      await fetch(url, { method: 'HEAD', signal }).catch(() => {})
      if (tries === 10) state.log.error({ url }, 'Next can not reach itself: set origin')
    }
    requesting = false
  }
  state.placard.subscribe(requestInvalidation)
  requestInvalidation()
}

export const toConsole: Log = {
  info() {},
  // biome-ignore lint/suspicious/noConsole: that is where a Next app logs
  warn: (fields, message) => console.warn(...line(fields, message)),
  // biome-ignore lint/suspicious/noConsole: as above
  error: (fields, message) => console.error(...line(fields, message)),
}

function line(fields: object, message: string): unknown[] {
  return Object.keys(fields).length === 0
    ? [`placard: ${message}`]
    : [`placard: ${message}`, fields]
}
