import { StoreUnavailable } from '../core/problem.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { type Resource, toResponse } from './answer.ts'
import type { Route, Routes } from './route.ts'
import { type Sharing, show } from './share.ts'

/** What visitors get beside the API: a page, the bar by itself, and the files that both load. */
export interface Site {
  /** The page at `/`. Without it, there is nothing at that path. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar by itself, for the embedded element. */
  fragment(snapshot: Snapshot, reader: Reader): Resource
  /** What the script tag loads, with the bar as far as it is known. */
  script(snapshot: Snapshot | undefined, reader: Reader): Resource
  asset(name: Asset): Resource
}

export const ASSETS = ['page.js', 'placard.css', 'page.css'] as const

export type Asset = (typeof ASSETS)[number]

/** What decides which document a request gets. */
export interface Reader {
  lang: string | null
  acceptLanguage: string | null
  /** `?dismissible` offers to close the bar on the page. */
  dismissible: boolean
  /** `?styles` adds those of the bar to a fragment. */
  styles?: boolean
}

export function readerOf(request: Request): Reader {
  const { searchParams } = new URL(request.url)
  return {
    lang: searchParams.get('lang'),
    acceptLanguage: request.headers.get('accept-language'),
    dismissible: searchParams.has('dismissible'),
    styles: searchParams.has('styles'),
  }
}

type SiteService = Sharing & { site?: Site | undefined }

const ofSite = {
  guard: 'open',
  exists: ({ site }: SiteService) => site !== undefined,
} as const

/** The pages, and their files, of a service that has a site. */
export const siteRoutes: Routes<SiteService> = {
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
    handle: async ({ request }, service) => {
      const { script } = service.site as Site
      const reader = readerOf(request)
      try {
        return toResponse(script(await service.showing.read(), reader), request)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        // The page goes on asking for the bar until it can be read.
        return toResponse(script(undefined, reader), request)
      }
    },
  },
  ...Object.fromEntries(
    ASSETS.map((name) => {
      const handle: Route<SiteService>['handle'] = ({ request }, { site }) =>
        toResponse((site as Site).asset(name), request)
      return [`GET /${name}`, { ...ofSite, readable: true, handle }]
    }),
  ),
}
