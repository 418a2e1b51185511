import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { afterFile } from '../after-file.ts'
import { skipAloud } from '../aloud.ts'
import { freePort } from '../free-port.ts'
import { current, DRAFT, httpMount, type Mount, publish } from '../harness.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { type Link, startProxy, type Proxy as Wire } from '../postgres/proxy.ts'
import { type Running, running } from '../running.ts'
import { soon } from '../soon.ts'
import { temporaryDirectory } from '../stores.ts'
import { PURGE_TOKEN, startVarnish, varnishIsMissing } from './varnish-server.ts'

let service: Running
let front: Mount
/** Between Varnish and the service. */
let wire: Wire
beforeAll(async () => {
  if (varnishIsMissing) return
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  // Varnish adds its client's address, as a second proxy behind one with TLS would.
  service = await running({ PURGE: `varnish:${address}`, PURGE_TOKEN, TRUST_PROXY: '2' })
  wire = await startProxy(`http://127.0.0.1:${service.port}`)
  afterFile(wire.close)
  const nodes = [Number(new URL(wire.url).port)] as const
  await startVarnish({ directory: temporaryDirectory(), port, nodes })
  front = httpMount(address, service.apiSecret, '')
})
beforeEach((test) => skipAloud(test, varnishIsMissing, 'Varnish'))

/** Whether the response has two ids: its own, and that of the request whose response Varnish had stored. */
const isCached = async (path: string, init?: RequestInit) =>
  (await front.fetch(path, init)).headers.get('x-varnish')?.includes(' ')

it.each(['/api/events', '/', '/embed.js', '/embed.json?lang=de'])(
  'contract R13: Varnish serves %s from its cache until something changes',
  async (path) => {
    await publish(front)
    await soon(async () => expect(await isCached(path)).toBe(true))
    const response = await front.fetch(path)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    // Another cache would keep a copy that nobody purges.
    expect(response.headers.get('cdn-cache-control')).toBeNull()
    expect(response.headers.get('surrogate-control')).toBeNull()
    const etag = response.headers.get('etag') ?? ''
    expect((await front.fetch(path, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    await publish(front, { ...DRAFT, text: `Not what ${path} had` })
    expect(await isCached(path)).toBe(false)
  },
)

it('contract R13, W7: each of 200 changes, with at most one exception, shows in the first read after it, while others read', async () => {
  let over = false
  const readers = Array.from({ length: 4 }, async () => {
    while (!over) await current(front)
  })
  let late = 0
  try {
    for (let i = 0; i < 200; i++) {
      const text = `Change ${i}`
      const response = await publish(front, { ...DRAFT, text })
      expect(response.status).toBe(201)
      if ((await current(front))?.text === text) continue
      // The old response was on its way to the cache during the purge, which is possible but rare.
      late++
      const within = { timeout: 3_000, interval: 100 }
      await vi.waitFor(async () => expect(await current(front)).toMatchObject({ text }), within)
    }
  } finally {
    over = true
    await Promise.all(readers)
  }
  expect(late).toBeLessThanOrEqual(1)
})

it('contract R13: a response in flight during a purge leaves the cache with the second purge', async () => {
  await publish(service, { ...DRAFT, text: 'Was on its way' })
  const asked = new Promise<Link>((resolve) => {
    wire.inspect = (chunk, direction, link) => {
      if (direction === 'up' && chunk.includes('GET /api/events')) {
        // The request passes, but its response doesn't.
        link.freeze()
        resolve(link)
      }
      return true
    }
  })
  const late = current(front)
  const link = await asked
  wire.inspect = () => true
  // Once this request has its response, the node has also responded to Varnish's earlier request.
  await service.fetch('/api/events')
  const changed = performance.now()
  expect((await publish(service, { ...DRAFT, text: 'Came after' })).status).toBe(201)
  link.thaw()
  expect((await late)?.text).toBe('Was on its way')
  await vi.waitFor(async () => expect((await current(front))?.text).toBe('Came after'), 5_000)
  expect(performance.now() - changed).toBeLessThan(4_000)
})

it('contract R13: an end shows neither early nor late through Varnish', async () => {
  const expiresAt = Date.now() + 2_500
  await publish(front, { ...DRAFT, text: 'Ends soon', expiresAt })
  let asked = Date.now()
  while ((await current(front))?.text === 'Ends soon') asked = Date.now()
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
  expect(asked).toBeLessThan(expiresAt + 1_000)
})

it('contract R4: the stream passes through Varnish', async () => {
  const response = await front.fetch('/api/events/stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  await publish(front, { ...DRAFT, text: 'Through the stream' })
  let heard = ''
  while (!heard.includes('Through the stream')) heard += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  expect(response.status).toBe(200)
})

it('contract R7, O3: Varnish never caches the admin, a health check or a response to a bearer token', async () => {
  const headers = { Authorization: `Bearer ${front.apiSecret}` }
  for (const [path, init] of [
    ['/api/events/history', { headers }],
    ['/admin', {}],
    ['/readyz', {}],
  ] as const) {
    await front.fetch(path, init)
    expect(await isCached(path, init)).toBe(false)
  }
})

it('contract R13: a purge without the right token gets 403', async () => {
  for (const headers of [{}, { Authorization: 'Bearer of-another' }]) {
    const response = await front.fetch('/', {
      method: 'PURGE',
      headers: { ...headers, 'Surrogate-Key': 'event' },
    })
    expect(response.status).toBe(403)
  }
})

it('contract R13: Varnish sends requests to one of two nodes, and to the other while that one is down', async () => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const shared = { DATABASE_URL: await emptyDatabase(), PURGE_TOKEN, TRUST_PROXY: '2' }
  const start = () => running({ ...shared, PURGE: `varnish:${address}` })
  const [first, second] = [await start(), await start()]
  const nodes = [first.port, second.port] as const
  await startVarnish({ directory: temporaryDirectory(), port, nodes })
  const both = httpMount(address, first.apiSecret, '')
  // The other node might show some of these up to a second later (R3).
  for (let i = 0; i < 50; i++) {
    expect((await publish(both, { ...DRAFT, text: `Change ${i}` })).status).toBe(201)
    expect((await current(both))?.text).toBe(`Change ${i}`)
  }
  await first.close()
  await vi.waitFor(async () => expect((await publish(both)).status).toBe(201), 20_000)
  expect((await current(both))?.text).toBe(DRAFT.text)
})
