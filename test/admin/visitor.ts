import { createAdmin } from '../../src/entries/admin.ts'
import type { Placard } from '../../src/placard.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { type DirectMount, type Extra, makePlacard, nextAddress } from '../harness.ts'

export const URL_OF_ADMIN = 'http://placard.test'

/** An admin in this process, reached as a browser would reach it. */
export function visitorOf(
  placard: Placard,
  options: Parameters<typeof createAdmin>[1] = { url: URL_OF_ADMIN },
) {
  const admin = createAdmin(placard, options)
  const origin = options?.url ?? URL_OF_ADMIN
  let cookie = ''

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (cookie && !headers.has('cookie')) headers.set('cookie', cookie)
    if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', nextAddress())
    const response = await admin.fetch(new Request(`${origin}${path}`, { ...init, headers }))
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      if (!pair.startsWith('placard-lang')) cookie = set.includes('Max-Age=0') ? '' : pair
    }
    return response
  }

  const visitor = {
    admin,
    ask,
    cookie: () => cookie,
    setCookie(other: string) {
      cookie = other
    },
    get: (path = '/admin', headers: Record<string, string> = {}) => ask(path, { headers }),
    /** Sends a form of the admin's own page. */
    post: (
      path: string,
      fields: Record<string, string> | URLSearchParams = {},
      extra: Extra = {},
    ) =>
      ask(path, {
        method: 'POST',
        headers: Object.entries({
          'Content-Type': 'application/x-www-form-urlencoded',
          'Sec-Fetch-Site': 'same-origin',
          Accept: 'text/html',
          ...extra,
        }).filter((header): header is [string, string] => header[1] !== undefined),
        body: new URLSearchParams(fields),
      }),
    /** Makes a link as `placard open` does, and takes the code out of it. */
    async code(secret: string, name?: string): Promise<string> {
      const response = await ask('/admin/links', {
        method: 'POST',
        headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(name === undefined ? {} : { name }),
      })
      const { url } = (await response.json()) as { url: string }
      return url.split('#')[1] as string
    },
    async signIn(mount: Pick<DirectMount, 'apiSecret'>, name?: string): Promise<void> {
      await visitor.post('/admin/session', { code: await visitor.code(mount.apiSecret, name) })
    },
    /** Whether the browser is let in. */
    isIn: async () => (await (await ask('/admin')).text()).includes('/admin/signout'),
  }
  return visitor
}

export type Visitor = ReturnType<typeof visitorOf>

/** A service, and somebody who is signed in to its admin. */
export async function signedIn(store: Store = sqliteStore(':memory:')) {
  const mount = makePlacard(store)
  const visitor = visitorOf(mount.placard)
  await visitor.signIn(mount, 'Anna')
  return { mount, visitor }
}

/** What the composer sends for an announcement. */
export const FORM = {
  text: 'We wrote about caching',
  type: 'post',
  slug: '/blog/caching',
  zone: 'UTC',
}
