import type { Admin, HostOptions } from '../admin/admin.ts'
import { loadOnce } from '../core/load-once.ts'
import { describeError, type Log } from '../core/log.ts'
import { Problem } from '../core/problem.ts'
import type { RequestInfo } from '../http/route.ts'
import type { Placard } from '../placard.ts'

const PATH = '/admin'

/** Whether a request is for the admin. */
export function isForAdmin(url: string): boolean {
  const { pathname } = new URL(url)
  return pathname === PATH || pathname.startsWith(`${PATH}/`)
}

/**
 * The admin, loaded on its first request, because few requests are for it and it would slow down the start.
 *
 * @param options called on loading, because only a listening service knows its address
 */
export function lazyAdmin(placard: Placard, options: () => HostOptions, log: Log): Admin {
  const load = loadOnce(async () => {
    const { createAdmin } = await import('../admin/admin.ts')
    return createAdmin(placard, { ...options(), path: PATH })
  })
  return {
    async fetch(request: Request, info?: RequestInfo) {
      let admin: Admin
      try {
        admin = await load()
      } catch (error) {
        log.error({ error: describeError(error) }, "the admin can't be loaded")
        return Problem.unavailable('The admin is unavailable; try again').toResponse()
      }
      return admin.fetch(request, info)
    },
    createLink: async (name) => (await load()).createLink(name),
  }
}
