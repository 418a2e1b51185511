import { inBackground } from '../core/clock.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { type HeaderOf, type Resource, show, toResponse } from './answer.ts'
import { includeIn } from './include.ts'
import { searchOf } from './input.ts'
import { ASSETS, type Reader, type Route, type Routes, type Service, type Site } from './service.ts'

const SITE_HEADERS = [
  'Vary',
  'Cache-Tag',
  'Surrogate-Key',
  'Cache-Groups',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'CDN-Cache-Control?',
  'Surrogate-Control?',
] as const

export const readerOf = (query: URLSearchParams, header: HeaderOf): Reader => ({
  lang: query.get('lang'),
  acceptLanguage: header('accept-language'),
})

/** Which bar `GET /embed.json` returns, and in which language: `?lang=de`, or `?page=de` for that of the page at `/`. */
export function barIn(site: Site, query: URLSearchParams): (snapshot: Snapshot) => Resource {
  const page = query.get('page')
  const lang = query.get('lang') ?? ''
  return (snapshot) =>
    page === null ? site.bar('embed', snapshot, lang) : site.bar('page', snapshot, page)
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

/** Returns the snapshot, or `undefined` if the database is slow or down; the script then requests the bar by itself. */
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
      const reader = readerOf(searchOf(request), (name) => request.headers.get(name))
      return show(service, request, (snapshot) => page(snapshot, reader))
    },
  },
  'GET /embed.html': ofSite(({ fragment }, request, service) =>
    show(service, request, (snapshot) => fragment(snapshot, searchOf(request).get('lang') ?? '')),
  ),
  'GET /include.html': ofSite((site, request, service) => {
    const include = includeIn(searchOf(request))
    return show(service, request, (snapshot) => site.include(snapshot, include))
  }),
  'GET /embed.js': ofSite(async ({ script }, request, { showing, share }) => {
    const snapshot = await readSoon(showing)
    const resource = script(snapshot)
    return toResponse(snapshot ? share(resource, snapshot) : resource, request)
  }),
  'GET /embed.json': {
    ...ofSite((site, request, service) => show(service, request, barIn(site, searchOf(request)))),
    operationId: 'readBar',
    summary: 'Get the announcement bar as a tree of elements',
    description:
      'What a page builds the bar from. An app of yours may use it too. Pages that keep the stream open get the same in its messages. In an app that mounts the API, this path does not exist.',
    conditional: true,
    query: { lang: 'The BCP 47 tag of the language around the bar.' },
    answers: {
      200: [
        'The bar. While nothing is announced, its element has the attribute `hidden`.',
        'Bar',
        [...SITE_HEADERS, 'Placard-Stale'],
      ],
    },
    problems: [500],
  },
  ...Object.fromEntries(
    ASSETS.map((name) => [
      `GET /${name}`,
      ofSite((site, request) => toResponse(site.asset(name), request)),
    ]),
  ),
}
