import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { Problem } from '../core/problem.ts'
import { ownerSecret } from '../core/secrets.ts'
import { printable } from '../http/input.ts'
import { DEFAULT_ADMIN_PATH } from '../http/links.ts'
import { toResponse } from '../http/resource.ts'
import type { RequestInfo } from '../http/route.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import { createActions } from './actions.tsx'
import { ADMIN_ASSETS, asset, seeOther } from './answers.ts'
import { createPages } from './pages.tsx'
import { createSessions } from './sessions.ts'
import { createSignIn, type Handler } from './sign-in-routes.tsx'
import type { AdminInfo } from './visit.ts'

/** Where the admin is mounted. */
export interface AdminOptions {
  /** The path at which the admin is mounted, without a trailing slash. Default: `/admin`. */
  path?: string | undefined
  /**
   * The address at which people reach the service, for links and snippets: `https://example.com`. Default: taken from
   * each request. If the host strips a prefix from each request's path, as Next.js does with its `basePath`, include
   * that prefix: `https://example.com/shop`.
   */
  url?: string | undefined
}

/** Adds the option `secretFile`, which only the standalone service has: an app stores the API secret itself. */
export interface HostOptions extends AdminOptions {
  /** The file with the API secret, for the snippets. Without a file, the snippets refer to the service's settings. */
  secretFile?: string | undefined
}

/** The admin: where a person publishes announcements (contract O1 to O4). */
export interface Admin {
  /** Responds to a request at or below the admin's path. Never rejects. @param info as in `placard.fetch` */
  fetch(request: Request, info?: RequestInfo): Promise<Response>
  /**
   * Creates a sign-in link that works once, within 10 minutes. Needs the option `url`.
   *
   * @param name shown in the history, if it has 1 to 64 printable characters
   */
  createLink(name?: string): Promise<string>
}

/**
 * Creates the admin of a service. The admin writes only through the API's commands, and its writes and sign-ins count
 * against the API's rate limit. So the admin follows every rule of the API.
 */
export function createAdmin(placard: Placard, options: HostOptions): Admin {
  const { service, apiSecrets, respond } = internalsOf(placard)
  const { path = DEFAULT_ADMIN_PATH, secretFile } = options
  const { origin, pathname = '' } = options.url === undefined ? {} : new URL(options.url)
  const front = pathname.replace(/\/+$/, '')
  const url = origin && `${origin}${front}`
  // Browsers see a path that begins with the path of `url`; the host strips that prefix from each request.
  const base = `${front}${path}`
  if (!/^(\/[\w.~-]+)+$/.test(base)) {
    throw new TypeError(
      "The admin's path must start with a slash, not end with one, and otherwise have only letters, digits and ._~-",
    )
  }
  const sessions = createSessions(service.store.tokens, apiSecrets, service.clock)
  const auth = createSignIn(placard, sessions, { path, base, url })
  const pages = createPages(service, base, secretFile)
  const actions = createActions(service, base, pages)

  const app = new Hono<{ Bindings: AdminInfo }>()
  // Compresses only pages: they contain no secret that their compressed length could reveal. `asset` compresses static
  // files.
  app.use(compress({ encoding: 'gzip', contentTypeFilter: /^text\/html/ }))
  route('GET', '', auth.page(pages.announcement))
  route('GET', '/history', auth.page(pages.history))
  route('GET', '/site', auth.page(pages.site))
  route('POST', '/links', auth.link)
  route('POST', '/session', auth.signIn)
  route('POST', '/signout', auth.signOut)
  route('POST', '/name', auth.part(auth.name))
  route('POST', '/preview', auth.part(pages.preview))
  route('POST', '/publish', auth.part(actions.publish))
  route('POST', '/withdraw', auth.part(actions.withdraw))
  route('POST', '/undo', auth.part(actions.undo))
  route('GET', '/live', auth.part(pages.live, false))
  route('GET', '/looked', auth.part(pages.looked))
  route('GET', '/icons', auth.part(pages.icons))
  route('GET', '/zones', auth.part(pages.zones))
  for (const name of ADMIN_ASSETS) {
    route('GET', `/${name}`, (request) => toResponse(asset(name), request))
  }

  function route(method: 'GET' | 'POST', below: string, handler: Handler) {
    const pattern = `${path}${below}`
    app.use(pattern, (c, next) => {
      c.env.matched(pattern)
      return next()
    })
    app.on(method, pattern, (c) => handler(c.req.raw, c.env))
    app.all(pattern, (c) => {
      const allow = method === 'GET' ? 'GET, HEAD' : method
      const message = `${c.req.method} is not allowed here; use ${allow}`
      throw new Problem('method_not_allowed', message, { headers: { Allow: allow } })
    })
  }

  // People may type a trailing slash. Browsers keep the fragment across a redirect, so a sign-in link's code survives.
  app.get(`${path}/`, ({ req }) => seeOther(`${base}${new URL(req.url).search}`))
  app.notFound((c) =>
    auth.failed(c.req.raw, new Problem('not_found', 'There is nothing at this path')),
  )
  app.onError((error, c) => {
    const problem = Problem.from(error)
    c.env.failed(problem)
    return auth.failed(c.req.raw, problem)
  })

  return {
    fetch: (request, info = {}) =>
      respond(
        request,
        info,
        (call) => app.fetch(request, { ...info, ...call }),
        // The script requests a preview on every keystroke, which would fill the log.
        new URL(request.url).pathname === `${path}/preview` || undefined,
      ),
    async createLink(name) {
      if (url === undefined) throw new TypeError('createLink needs the option url')
      const shown = printable(name ?? '') ?? null
      const { value } = await sessions.create('code', ownerSecret(apiSecrets) as string, shown)
      return `${url}${path}#${value}`
    },
  }
}
