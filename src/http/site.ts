import type { Snapshot } from '../showing/snapshot.ts'
import { type Resource, toResponse } from './answer.ts'
import type { Route, Routes } from './route.ts'
import { type Sharing, show } from './share.ts'

/** What visitors get beside the API: a page, the bar by itself, and the files that both load. */
export interface Site {
  /** The page at `/`. Without it, there is nothing at that path. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar by itself, for the script tag. */
  fragment(snapshot: Snapshot, reader: Reader): Resource
  asset(name: Asset): Resource
}

export const ASSETS = ['embed.js', 'page.js', 'placard.css', 'page.css'] as const

export type Asset = (typeof ASSETS)[number]

/** What decides which document a request gets. */
export interface Reader {
  lang: string | null
  acceptLanguage: string | null
  /** `?dismissible` offers to close the bar. */
  dismissible: boolean
}

export function readerOf(request: Request): Reader {
  const { searchParams } = new URL(request.url)
  return {
    lang: searchParams.get('lang'),
    acceptLanguage: request.headers.get('accept-language'),
    dismissible: searchParams.has('dismissible'),
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
  ...Object.fromEntries(
    ASSETS.map((name) => {
      const handle: Route<SiteService>['handle'] = ({ request }, { site }) =>
        toResponse((site as Site).asset(name), request)
      return [`GET /${name}`, { ...ofSite, readable: true, handle }]
    }),
  ),
}
