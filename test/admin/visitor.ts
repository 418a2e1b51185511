import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach } from 'vitest'
import type { DraftInput } from '../../src/core/announcement.ts'
import { createAdmin } from '../../src/entries/admin.ts'
import { internalsOf } from '../../src/internals.ts'
import type { Placard } from '../../src/placard.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { afterTest } from '../after-file.ts'
import {
  type DirectMount,
  type Extra,
  historyOf,
  inMemory,
  makePlacard,
  nextAddress,
} from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'

export const URL_OF_ADMIN = 'http://placard.test'

type Fields = Record<string, string> | URLSearchParams

/** An admin in this process, and requests as a browser would send them. */
export function visitorOf(
  placard: Placard,
  options: Parameters<typeof createAdmin>[1] = { url: URL_OF_ADMIN },
  create = createAdmin,
) {
  const admin = create(placard, options)
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
    /** Sends a form as a page of the admin does. */
    post: (path: string, fields: Fields = {}, extra: Extra = {}) =>
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
    /** Requests a link as `placard open` does. */
    link: (secret: string, name?: unknown) =>
      ask('/admin/links', {
        method: 'POST',
        headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name }),
      }),
    /** The code in such a link. */
    async code(secret: string, name?: string): Promise<string> {
      return (await (await visitor.link(secret, name)).json()).url.split('#')[1]
    },
    async signIn(mount: Pick<DirectMount, 'apiSecret'>, name?: string): Promise<void> {
      await visitor.post('/admin/session', { code: await visitor.code(mount.apiSecret, name) })
    },
    /** Whether the browser is signed in. */
    isIn: async () => (await (await ask('/admin')).text()).includes('/admin/signout'),
  }
  return visitor
}

export type Visitor = ReturnType<typeof visitorOf>

/** A service, and a person signed in to its admin. */
export async function signedIn(options?: Parameters<typeof inMemory>[0], name = 'Anna') {
  const mount = inMemory(options)
  const visitor = visitorOf(mount.placard)
  await visitor.signIn(mount, name)
  return { mount, visitor }
}

/** A service with its admin, and a connection to its database, which a test can change directly. */
export function onFile() {
  const path = join(temporaryDirectory(), 'placard.db')
  const mount = makePlacard(sqliteStore(path))
  const database = new DatabaseSync(path)
  afterTest(() => database.close())
  return { mount, database, visitor: visitorOf(mount.placard) }
}

export const HOUR = 3_600_000

/** A service for each test, with a person signed in to its admin, and helpers to read both. */
export function adminForEach() {
  const the = {} as Awaited<ReturnType<typeof signedIn>>
  beforeEach(async () => void Object.assign(the, await signedIn()))
  const inHours = (hours: number) => the.mount.clock.now() + hours * HOUR
  const page = async (path = '/admin', headers: Record<string, string> = {}) =>
    (await the.visitor.get(path, headers)).text()
  return {
    the,
    inHours,
    page,
    /** The value of a `datetime-local` input, in UTC. */
    wall: (hours: number) => new Date(inHours(hours)).toISOString().slice(0, 16),
    post: async (path: string, fields: Fields, extra?: Extra) => {
      const response = await the.visitor.post(`/admin/${path}`, fields, extra)
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    put: (text: string, draft: Partial<DraftInput> = {}) =>
      the.mount.placard.publish({ text, type: 'post', slug: '/', ...draft }),
    /** The published and scheduled announcements. */
    async board() {
      const { published, scheduled } = await internalsOf(the.mount.placard).service.store.load()
      return { published, scheduled }
    },
    entries: () => historyOf(the.mount),
    /** The live announcement's text. */
    shown: async () => (await the.mount.placard.current())?.text,
    /** The page in a browser that also has this cookie. */
    pageWith: (cookie: string, path = '/admin', headers: Record<string, string> = {}) =>
      page(path, { ...headers, cookie: `${the.visitor.cookie()}; ${cookie}` }),
    /** `FORM`, with the id, the end and the hidden fields of an announcement to edit. Default: the live one. */
    async open(edited?: string) {
      const id = edited ?? (await the.mount.placard.current())?.id ?? ''
      const html = await page(`/admin?edit=${id}`)
      const names = ['seen', 'coupon', 'until', 'untilWas', 'zoneWas']
      const fields = Object.fromEntries(names.map((name) => [name, held(html, name)]))
      return { ...FORM, id, ...fields } as Record<string, string> & { id: string }
    },
  }
}

/** The value of a field on a page. */
export const held = (html: string, name: string): string =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? ''

/** The text of the notice in a response. */
export const said = (html: string): string | undefined =>
  /<div class="notice".*?<p>([^<]*)/.exec(html)?.[1]?.trim()

/** The number of the history entry that a response's button undoes. */
export const undoIn = (html: string): string =>
  /"\/admin\/undo".*?name="id" value="(\d+)"/.exec(html)?.[1] ?? ''

/** The fields that the composer sends for an announcement. */
export const FORM = {
  text: 'We wrote about caching',
  type: 'post',
  slug: '/blog/caching',
  zone: 'UTC',
}
