import { inBackground } from '../core/clock.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { show, toResponse } from './answer.ts'
import { ASSETS, type Reader, type Route, type Routes, type Service, type Site } from './service.ts'

export function readerOf(request: Request): Reader {
  const { searchParams } = new URL(request.url)
  return {
    lang: searchParams.get('lang'),
    acceptLanguage: request.headers.get('accept-language'),
    styles: searchParams.has('styles'),
  }
}

/** Creates a route that exists on every service with a site and that pages from any origin may read. */
const ofSite = (
  answer: (site: Site, request: Request, service: Service) => Response | Promise<Response>,
): Route => ({
  guard: 'open',
  readable: true,
  exists: ({ site }) => site !== undefined,
  handle: ({ request }, service) => answer(service.site as Site, request, service),
})

/** How long `/embed.js` waits for the database: not long, because a page's `load` event waits for the script. */
const SCRIPT_PATIENCE_MS = 250

/** Returns the snapshot, or `undefined` if the database is slow or down; the script then requests `/embed.html`. */
async function readSoon({ read }: Service['showing']): Promise<Snapshot | undefined> {
  try {
    const reading = read()
    if (!(reading instanceof Promise)) return reading
    const late = new Promise<undefined>((resolve) => {
      inBackground(setTimeout(resolve, SCRIPT_PATIENCE_MS))
    })
    return await Promise.race([reading, late])
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

/** The routes of the page, of the bar for embedding, and of the files that both load. */
export const siteRoutes: Routes = {
  'GET /': {
    guard: 'open',
    exists: ({ site }) => site?.page !== undefined,
    handle: ({ request }, service) => {
      const page = service.site?.page as NonNullable<Site['page']>
      return show(service, request, (snapshot) => page(snapshot, readerOf(request)))
    },
  },
  'GET /embed.html': ofSite(({ fragment }, request, service) =>
    show(service, request, (snapshot) => fragment(snapshot, readerOf(request))),
  ),
  'GET /embed.js': ofSite(async ({ script }, request, { showing }) =>
    toResponse(script(await readSoon(showing), readerOf(request)), request),
  ),
  ...Object.fromEntries(
    ASSETS.map((name) => [
      `GET /${name}`,
      ofSite((site, request) => toResponse(site.asset(name), request)),
    ]),
  ),
}
