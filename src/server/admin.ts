import type { Admin, AdminOptions } from '../admin/admin.ts'
import type { RequestInfo } from '../http/app.ts'
import type { Placard } from '../placard.ts'

const PATH = '/admin'

/** Whether a request is the admin's to answer. */
export function isForAdmin(url: string): boolean {
  const { pathname } = new URL(url)
  return pathname === PATH || pathname.startsWith(`${PATH}/`)
}

/**
 * The admin, loaded with the first request for it: few requests are, and a start would take longer.
 *
 * @param options called then, because only a service that listens knows its address
 */
export function lazyAdmin(placard: Placard, options: () => AdminOptions): Admin {
  let loaded: Promise<Admin> | undefined
  const load = () => {
    loaded ??= Promise.all([import('../admin/admin.ts'), import('react-dom/server')]).then(
      ([{ createAdmin }, { renderToStaticMarkup }]) =>
        createAdmin(placard, { ...options(), path: PATH }, renderToStaticMarkup),
    )
    return loaded
  }
  return {
    fetch: async (request: Request, info?: RequestInfo) => (await load()).fetch(request, info),
    createLink: async (name) => (await load()).createLink(name),
  }
}
