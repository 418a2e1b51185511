import { inBackground } from '../core/clock.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { show } from './documents.ts'
import { toResponse } from './resource.ts'
import type { Route, RouteRequest, Routes } from './route.ts'
import type { ServiceParts } from './service-parts.ts'
import { ASSETS, type Site } from './site.ts'

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

/** Creates the route of a document. It exists if the service has the document. */
const documentRoute = (path: string): Route => ({
  guard: 'open',
  exists: ({ documents }) => documents.has(path),
  handle: ({ request }, service) => show(service, request, path),
})

/** How long `/embed.js` waits for the database: not long, because a page's `load` event waits for the script. */
const SCRIPT_TIMEOUT_MS = 250

/** Returns the snapshot, or `undefined` if the database is slow or down. */
async function readSoon({ read }: ServiceParts['showing']): Promise<Snapshot | undefined> {
  try {
    const reading = read()
    if (!(reading instanceof Promise)) return reading
    const late = new Promise<undefined>((resolve) => {
      inBackground(setTimeout(resolve, SCRIPT_TIMEOUT_MS))
    })
    return await Promise.race([reading, late])
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

/** Responds with the embed script. Without the database, the script lacks the bar, and requests it by itself. */
async function answerScript({ request }: RouteRequest, { site, showing, share }: ServiceParts) {
  const { script } = site as Site
  const snapshot = await readSoon(showing)
  const resource = script(snapshot)
  return toResponse(snapshot ? share(resource, snapshot) : resource, request)
}

/** The routes of the page, of the bar for embedding, and of the files that both load. */
export const siteRoutes: Routes = {
  'GET /': documentRoute('/'),
  'GET /embed.js': { ...documentRoute('/embed.js'), readable: true, handle: answerScript },
  'GET /include.html': { ...documentRoute('/include.html'), readable: true },
  'GET /embed.json': {
    ...documentRoute('/embed.json'),
    readable: true,
    operationId: 'readBar',
    summary: 'Get the announcement bar as a tree of elements',
    description:
      'What a page builds the bar from. An app of yours may use it too. Pages that keep the stream open get the same in its messages. In an app that mounts the API, this path does not exist.',
    conditional: true,
    query: { lang: 'The BCP 47 tag of the language around the bar.' },
    responses: {
      200: [
        'The bar. While nothing is announced, its element has the attribute `hidden`.',
        'Bar',
        [...SITE_HEADERS, 'Placard-Stale'],
      ],
    },
    problems: [500],
  },
  ...Object.fromEntries(
    ASSETS.map((name): [string, Route] => [
      `GET /${name}`,
      {
        guard: 'open',
        readable: true,
        exists: ({ site }) => site !== undefined,
        handle: ({ request }, { site }) => toResponse((site as Site).asset(name), request),
      },
    ]),
  ),
}
