import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import { revalidateTag } from 'next/cache.js'
import { TAG } from '../commands.ts'
import { type Log, unfailing } from '../log.ts'
import { createPlacard, type Placard, type PlacardOptions } from '../placard.ts'

export type NextPlacardOptions = Omit<PlacardOptions, 'onChange' | 'metrics'> & {
  /**
   * Where this process reaches itself. Default: the port of `next start` on this machine. With a `basePath`,
   * or another host than the default, say so: `http://localhost:3000/shop`.
   */
  origin?: string | undefined
}

/** What one process has, whichever of its bundles asks. */
export interface NextState {
  placard: Placard
  /** Counts the changes, and those for which Next's cache was invalidated. */
  changes: number
  invalidated: number
  origin: string | undefined
  log: Log
  /** The header that each request's peer is written into, once it is; no client can know its name. */
  peerHeader: string | undefined
  /** Whether the log says already that the announcement can't be read. */
  blind: boolean
}

/** When to drop pages whose rendering began before a change and ended after it: seconds since the change. */
const LATE_S = [1, 10]
/** How soon after the last server began to stop the open streams end. */
const STOP_LOOK_MS = 200

/** @throws TypeError as `createPlacard` does */
export function open({ origin, ...options }: NextPlacardOptions): NextState {
  const log = unfailing(options.log ?? toConsole)
  const onChange = () => {
    try {
      invalidate(state)
    } catch (error) {
      // `watch` has a request made instead. Whatever else Next says, the write's sender must hear (contract W7).
      if (!isOutsideRequest(error)) throw error
    }
  }
  const state: NextState = {
    placard: createPlacard({ ...options, log, onChange }),
    changes: 0,
    invalidated: -1,
    origin,
    log,
    peerHeader: undefined,
    blind: false,
  }
  state.placard.subscribe(() => {
    state.changes++
  })
  return state
}

/** What `revalidateTag` throws where Next takes no tag: from a timer, say. It has no code to recognise it by. */
function isOutsideRequest(error: unknown): boolean {
  return error instanceof Error && error.message.includes('static generation store missing')
}

/**
 * The next request for anything tagged is rendered again. Only `expire: 0` does so: `'max'` serves the old page once
 * more, and an API route may not call `updateTag`.
 *
 * Next dates a page by when its rendering ended, so a page that was being rendered meanwhile would pass for new.
 * Further tags have the number of the change that it was rendered after, and it is dropped by those a little later.
 */
export function invalidate(state: NextState): void {
  revalidateTag(TAG, { expire: 0 })
  for (; state.invalidated < state.changes; state.invalidated++) {
    for (const late of LATE_S) revalidateTag(tagOf(state.invalidated, late), { expire: late })
  }
}

/** Says which change a page was rendered after. */
export function tagsOf(change: number): string[] {
  return LATE_S.map((late) => tagOf(change, late))
}

/** Numbers come round again, so that Next's list of tags stays short. */
function tagOf(change: number, late: number): string {
  return `${TAG}:${change % 1_000}+${late}`
}

/** The peer's address, where it is known: over HTTP/1, once `watch` was called. */
export function peerOf({ peerHeader }: NextState, request: Request): string | undefined {
  return peerHeader && (request.headers.get(peerHeader) ?? undefined)
}

/** Hears of peers, of stops, and of what changes without a request. */
export function watch(state: NextState): void {
  // `next dev` registers again after an edit.
  if (state.peerHeader) return
  const peerHeader = `x-placard-peer-${crypto.randomUUID()}`
  state.peerHeader = peerHeader
  const servers = new Set<Server>()
  // Next shows handlers no socket, and takes X-Forwarded-For from any client.
  subscribe('http.server.request.start', (message) => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    request.headers[peerHeader] = request.socket.remoteAddress ?? ''
    // One that is given its connections by another never listens.
    if (server.listening) servers.add(server)
  })
  // Open streams would keep a server that stops from ever closing. A look at the servers, not a handler of signals:
  // that would take away their default effect, and a custom server that leaves signals alone would never end.
  const looks = setInterval(() => {
    if (servers.size === 0 || [...servers].some(({ listening }) => listening)) return
    clearInterval(looks)
    state.placard.streams.close()
  }, STOP_LOOK_MS).unref()

  let requesting = false
  /** Has a request made, since only within one does Next take a tag. */
  async function requestInvalidation() {
    if (requesting) return
    requesting = true
    const url = `${state.origin ?? `http://localhost:${process.env.PORT ?? 3000}`}/api/events`
    for (let wait = 0, tries = 0; ; wait = Math.min(wait * 2 + 10, 5_000), tries++) {
      // At first a turn of the event loop: a write tells by itself.
      await new Promise((resolve) => setTimeout(resolve, wait))
      if (state.invalidated >= state.changes) break
      await fetch(url, { method: 'HEAD' }).catch(() => {})
      if (tries === 10) state.log.error({ url }, 'Next can not reach itself: set origin')
    }
    requesting = false
  }
  state.placard.subscribe(requestInvalidation)
  requestInvalidation()
}

export const toConsole: Log = {
  info() {},
  // biome-ignore lint/suspicious/noConsole: where a Next app's log is
  warn: (fields, message) => console.warn(...line(fields, message)),
  // biome-ignore lint/suspicious/noConsole: as above
  error: (fields, message) => console.error(...line(fields, message)),
}

function line(fields: object, message: string): unknown[] {
  return Object.keys(fields).length === 0
    ? [`placard: ${message}`]
    : [`placard: ${message}`, fields]
}
