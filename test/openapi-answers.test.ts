import { createServer } from 'node:http'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import type { Site } from '../src/http/site.ts'
import { createSite } from '../src/page/create-site.ts'
import { loadLocales } from '../src/page/locales.ts'
import { createRouter, lazyAdmin } from '../src/server/router.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { visitorOf } from './admin/visitor.ts'
import { documented, OPERATIONS, statusesOf } from './documented.ts'
import {
  coupon,
  DRAFT,
  httpMount,
  inMemory,
  type Mount,
  makePlacard,
  nextAddress,
  sign,
} from './harness.ts'
import { listen } from './raw.ts'

/** The responses that the service has sent, such as `readEvent 200`. */
const seen = new Set<string>()
const note = (operation: string, status: number) => void seen.add(`${operation} ${status}`)

/** A site, so that the service has every documented route. */
const site = createSite(await loadLocales(), false)

function service(store: Store, fault?: Error): Mount {
  const unless = <T>(value: T) => {
    if (fault) throw fault
    return value
  }
  const metrics = async () => unless('placard_reads_total 1\n')
  const bars: Site['bars'] = (kind, snapshot) => unless(site.bars(kind, snapshot))
  const bar: Site['bar'] = (kind, snapshot, tag) => unless(site.bar(kind, snapshot, tag))
  const mount = makePlacard(store, {
    metrics,
    host: () => unless({}),
    site: { ...site, bars, bar },
  })
  const { admin } = visitorOf(mount.placard)
  const fetch: Mount['fetch'] = (path, init) =>
    path.startsWith('/admin')
      ? admin.fetch(new Request(`http://placard.test${path}`, init))
      : mount.fetch(path, init)
  return documented({ ...mount, fetch }, note)
}

/** A store in which everything fails but closing it. */
function failing(error: Error): Store {
  const fail = () => Promise.reject(error)
  const all = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, fail]))
  const { tokens, offers, ...store } = sqliteStore(':memory:')
  const parts = { tokens: all(tokens), offers: all(offers) }
  return { ...all(store), ...parts, watch() {}, close: async () => {} } as unknown as Store
}

/** A service whose router can't be loaded. */
async function unableToRoute(): Promise<Mount> {
  const { placard, log, ...mount } = inMemory()
  const admin = lazyAdmin(placard, () => ({}), log)
  const fail = () => Promise.reject(new Error('EMFILE: too many open files'))
  const server = createServer(createRouter(placard, admin, log, fail))
  const port = await listen(server)
  const { fetch } = httpMount(`http://127.0.0.1:${port}`, mount.apiSecret, mount.stripeSecret)
  return documented({ ...mount, fetch }, note)
}

const SCHEDULED = { ...DRAFT, startsAt: '2099-01-01T00:00:00Z' }
/** The bodies of the requests that need one. */
const BODIES: Record<string, object> = {
  publishEvent: DRAFT,
  editEvent: DRAFT,
  deleteEvents: { type: 'post' },
  undo: {},
  makeLink: { name: 'Anna' },
  receiveNotification: coupon('created'),
}
const PATHS = new Map(
  OPERATIONS.map(({ operationId, path }) => [operationId, path.replace('{id}', 'none')]),
)

/** Sends a valid request for an operation, with these changes. */
function send(mount: Mount, operation: string, change: { [name: string]: string } = {}) {
  const { method = '' } = OPERATIONS.find(({ operationId }) => operationId === operation) ?? {}
  const { path = PATHS.get(operation) ?? '', body: changed, ...headers } = change
  const content = BODIES[operation]
  const body = changed ?? (content && JSON.stringify(content))
  const honest = {
    Authorization: `Bearer ${mount.apiSecret}`,
    'X-Forwarded-For': nextAddress(),
    'Stripe-Signature': sign(body ?? '', mount.stripeSecret, mount.now()),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
  return mount.fetch(path, {
    method: method.toUpperCase(),
    headers: { ...honest, ...headers },
    ...(body !== undefined && { body }),
  })
}

it('contract R11: the service sends every response that the OpenAPI document describes, and no other', async () => {
  const mount = service(sqliteStore(':memory:'))
  const guess = { Authorization: 'Bearer a wrong secret' }
  for (const { operationId } of OPERATIONS) {
    const [path, content] = [PATHS.get(operationId), BODIES[operationId]]
    const changes: { [name: string]: string }[] = [
      {},
      { Authorization: '', 'Stripe-Signature': '' },
      { path: `${path}?unknown=1` },
      { 'If-None-Match': '*', 'If-Match': '"x"' },
      ...Array(11).fill({ ...guess, 'X-Forwarded-For': nextAddress() }),
    ]
    if (content) {
      changes.push({ body: '[]' }, { 'Content-Type': 'text/plain' })
      changes.push({ body: 'x'.repeat(operationId === 'receiveNotification' ? 300_000 : 20_000) })
    }
    for (const change of changes) await (await send(mount, operationId, change)).body?.cancel()
  }
  await send(mount, 'undo', { body: '{"id":"999999"}' })
  const { headers } = await send(mount, 'publishEvent', { body: JSON.stringify(SCHEDULED) })
  const path = `/api/events/${headers.get('placard-event-id')}`
  await send(mount, 'editEvent', { path })

  const { watch: _, ...unwatched } = sqliteStore(':memory:')
  await send(service(unwatched), 'followEvent')

  const unable = await unableToRoute()
  for (const { operationId } of OPERATIONS) await send(unable, operationId)

  for (const error of [new StoreUnavailable(new Error('gone')), new TypeError('a mistake')]) {
    const broken = service(failing(error), new TypeError('a mistake'))
    for (const { operationId } of OPERATIONS) await send(broken, operationId)
  }

  const promised = OPERATIONS.flatMap((operation) =>
    statusesOf(operation).map((status) => `${operation.operationId} ${status}`),
  )
  expect([...seen].toSorted()).toEqual(promised.toSorted())
})

it.each(['', '/shop', '/of/a/team'])(
  'contract R11: in an app that mounts the service at "%s", the OpenAPI document gives each path\'s address',
  async (base) => {
    const { placard } = inMemory()
    const host = new Hono().mount(base || '/', (request: Request) => placard.fetch(request))
    const address = `https://example.com${base}/api/openapi.json`
    const { servers, paths } = await (await host.request(address)).json()
    // As OpenAPI says: the server's URL is relative to the document, and the path is appended to that URL.
    const server = new URL(servers[0].url, address).href.replace(/\/$/, '')
    for (const path of Object.keys(paths).filter((path) => path.startsWith('/api'))) {
      expect(server + path).toBe(`https://example.com${base}${path}`)
      const { headers } = await host.request(server + path, { method: 'PATCH' })
      const [, link = ''] = /^<(.*)>; rel="service-desc"$/.exec(headers.get('link') ?? '') ?? []
      expect(new URL(link, server + path).href).toBe(address)
    }
  },
)

it('contract R11: the OpenAPI document gives the public address if the service knows it', async () => {
  const publicUrl = 'https://notices.example'
  const { fetch } = inMemory({ host: () => ({ publicUrl }) })
  const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }
  const { servers } = await (await fetch('/api/openapi.json', { headers })).json()
  expect(servers).toEqual([{ url: publicUrl }])
})
