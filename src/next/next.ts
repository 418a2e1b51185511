import { cacheLife, cacheTag, unstable_cache } from 'next/cache.js'
import type { Announcement } from '../core/announcement.ts'
import { CACHE_TAG } from '../core/cache-tag.ts'
import { describeError } from '../core/log.ts'
import { Problem } from '../core/problem.ts'
import type { Placard } from '../placard.ts'
import { invalidate, type NextPlacardOptions, type NextState, tagsOf } from './cache.ts'
import { HOLE, renewalLife, SHORT, unwatchedLife, watchedLife } from './life.ts'
import { opener, reason } from './open.ts'

export type { NextPlacardOptions } from './cache.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The methods that a route handler of Next.js may export. */
export type Method = (typeof METHODS)[number]
/** A route handler of Next.js. It never rejects. */
export type RouteHandler = (request: Request) => Promise<Response>
/** The handlers that `route.ts` exports, by method. */
export type RouteHandlers = Readonly<Record<Method, RouteHandler>>
/** Placard inside a Next.js app: what {@link createNextPlacard} returns. */
export type NextPlacard = ReturnType<typeof createNextPlacard>

/** The live announcement, with the ETag of `GET /api/events`, which also changes when the announcement is edited. */
export interface LiveAnnouncement extends Announcement {
  etag: string
}

/** How the app runs, for decisions that a build has to make. */
export interface NextMode {
  /**
   * Whether the store has `listen: false`. A build can't tell, because it doesn't open the store. If true, the output
   * of `current` is a dynamic hole in the built page, as it is in the last five minutes before a start or end.
   * Default: false.
   */
  serverless?: boolean | undefined
}

/**
 * Creates Placard inside a Next.js 16 app on a Node server. docs/next.md has the three files that the app needs.
 *
 * Without a secret, or without a usable database, `current` returns `null`, the API returns 503, and the log says why.
 * Later requests try to open the service again. Meanwhile, `service` throws; the other methods don't, so pages render.
 *
 * @param configure called when the service is first needed, and again only after a failure. It isn't called during a
 *   build, so a build needs neither secrets nor a database
 */
export function createNextPlacard(
  configure: () => NextPlacardOptions,
  { serverless = false }: NextMode = {},
) {
  const { getState, watch } = opener(configure)

  function mount(create: (service: Placard) => Pick<Placard, 'fetch'>): RouteHandlers {
    let service: Pick<Placard, 'fetch'> | undefined
    const handle: RouteHandler = async (request) => {
      const state = getState()
      if (!state) return closed().toResponse()
      service ??= create(state.placard)
      return answer(state, request, service)
    }
    return Object.fromEntries(METHODS.map((method) => [method, handle])) as RouteHandlers
  }

  async function answer(state: NextState, request: Request, service: Pick<Placard, 'fetch'>) {
    // Next drops the `Content-Encoding` of a response, so a browser would not know that the body is compressed.
    request.headers.delete('accept-encoding')
    const { peerHeader = '' } = state
    const address = (peerHeader && request.headers.get(peerHeader)) || undefined
    // If a client sends no `X-Forwarded-For`, Next adds one with the peer's address. Remove it.
    if (peerHeader && request.headers.has(`${peerHeader}-direct`)) {
      request.headers.delete('x-forwarded-for')
    }
    const response = await service.fetch(withoutSlash(request), { address })
    try {
      if (state.background && state.invalidated < state.changes) invalidate(state)
    } catch (error) {
      // If a write made the change, its response is already a 503. For any other change, `watch` sends another request.
      state.log.error({ error: describeError(error) }, "could not invalidate Next's cache")
    }
    return response
  }

  async function showing() {
    const nothing = { event: null, tags: [CACHE_TAG], life: SHORT, left: 0, key: 'unknown' }
    if (isBuilding()) return { ...nothing, life: serverless ? HOLE : SHORT, key: 'build' }
    const state = getState()
    if (!state) return nothing
    const tags = tagsOf(state)
    try {
      const { event, etag, stale } = await state.placard.snapshot()
      state.blind = false
      const left = state.until() - Date.now()
      const life = state.background ? watchedLife(left) : unwatchedLife(left, stale)
      return { event: event && { ...event, etag }, tags, life, left: stale ? 0 : left, key: etag }
    } catch (error) {
      // The database has never answered this process, so the page is rendered without the bar, and soon renewed.
      if (!state.blind) state.log.error({}, `pages lack the announcement: ${reason(error)}`)
      state.blind = true
      return { ...nothing, tags }
    }
  }

  return {
    /** The whole API, for `app/api/[[...placard]]/route.ts`. */
    handlers: mount((placard) => placard),
    /** Handlers for another part of the service, at a path of its own: `placard.mount(createAdmin)`. */
    mount,
    /**
     * Returns the live announcement, or `null`. Call it inside `'use cache'`: it tags the cached output, and makes it
     * expire by the announcement's end. Needs `cacheComponents`.
     */
    async current(): Promise<LiveAnnouncement | null> {
      const { event, tags, life } = await showing()
      cacheTag(...tags)
      cacheLife(life)
      return event
    },
    /** Use this instead of `current` in an app without `cacheComponents`, in any server component. */
    async currentTagged(): Promise<LiveAnnouncement | null> {
      const { event, tags, life, key } = await showing()
      // A `revalidate` of 0 would make the page dynamic.
      const revalidate = Math.max(1, life.revalidate)
      return unstable_cache(async () => event, ['placard', key], { tags, revalidate })()
    },
    /**
     * Makes a page render again after a change, a start or an end, even if Next.js keeps the page without the bar, as
     * it does in the last five minutes before a start or an end. Call `renew` inside `'use cache'`, in a component of
     * its own outside any `<Suspense>`; docs/serverless.md has an example. Apps that call `watch` don't need `renew`.
     */
    async renew(): Promise<void> {
      const { tags, left } = await showing()
      cacheTag(...tags)
      cacheLife(renewalLife(left))
    },
    /**
     * Call this in `register` in `instrumentation.ts`. The call drops everything that a previous process cached. From
     * then on, changes outside a request invalidate the cache too: a start, an end, or a write by another process.
     */
    watch() {
      if (!isBuilding()) watch()
    },
    /**
     * Returns the service itself, for example to publish from a server action.
     *
     * @throws Problem `unavailable` while the service can't be opened
     */
    service(): Placard {
      const state = getState()
      if (!state) throw closed()
      return state.placard
    },
  }
}

/** Removes the slash that `trailingSlash` makes Next append to every path. None of our routes ends in a slash. */
function withoutSlash(request: Request): Request {
  const url = new URL(request.url)
  if (!/[^/]\/$/.test(url.pathname)) return request
  url.pathname = url.pathname.slice(0, -1)
  return new Request(url, request)
}

function closed(): Problem {
  return Problem.unavailable("The announcement is unavailable; the app's log says why")
}

/** Whether `next build` is running. A built page lacks the bar, or has a hole for it, until the page is renewed. */
function isBuilding(): boolean {
  return process.env.NEXT_PHASE === 'phase-production-build'
}
