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

const ofSite = {
  guard: 'open',
  exists: ({ site }: Service) => site !== undefined,
} as const

/** The window's `load` event waits for the script, so the script doesn't wait longer for the database. */
const SCRIPT_PATIENCE_MS = 250

/** What shows now, or nothing: then the page asks `/embed.html` until that has the answer. */
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

/** The pages of a service with a site, and their files. */
export const siteRoutes: Routes = {
  'GET /': {
    guard: 'open',
    exists: ({ site }) => site?.page !== undefined,
    handle: ({ request }, service) => {
      const page = service.site?.page as NonNullable<Site['page']>
      return show(service, request, (snapshot) => page(snapshot, readerOf(request)))
    },
  },
  'GET /embed.html': {
    ...ofSite,
    readable: true,
    handle: ({ request }, service) => {
      const { fragment } = service.site as Site
      return show(service, request, (snapshot) => fragment(snapshot, readerOf(request)))
    },
  },
  'GET /embed.js': {
    ...ofSite,
    readable: true,
    handle: async ({ request }, { site, showing }) => {
      const { script } = site as Site
      return toResponse(script(await readSoon(showing), readerOf(request)), request)
    },
  },
  ...Object.fromEntries(
    ASSETS.map((name): [string, Route] => [
      `GET /${name}`,
      {
        ...ofSite,
        readable: true,
        handle: ({ request }, { site }) => toResponse((site as Site).asset(name), request),
      },
    ]),
  ),
}
