import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { blockAfter } from '../printed.ts'
import { type Running, running } from '../running.ts'
import { isInstalled, KINDS, type ProxyServer, startProxy } from './servers.ts'
import { ask, follow, nextSource, publishFrom } from './visitor.ts'

const [nginx] = KINDS.filter(({ name }) => name === 'nginx')
if (!nginx) throw new Error('nginx is not among the proxies')
const missing = process.platform !== 'linux' || !isInstalled(nginx)
/** One second of nginx's clock, which counts whole ones, is over after this. */
const KEPT_MS = 2_000
const WAIT = { timeout: 15_000, interval: 20 }

let service: Running
let proxy: ProxyServer
beforeAll(async () => {
  if (missing) return
  service = await running({ TRUST_PROXY: '1' })
  const block = blockAfter('docs/scaling.md', '### nginx, for those who can live with a second')
  proxy = await startProxy({ ...nginx, block }, service.port)
})
afterAll(async () => {
  await proxy?.stop()
  await service?.close()
})
beforeEach((test) => skipAloud(test, missing, 'nginx, openssl and Linux'))

const textNow = async () => JSON.parse((await ask(proxy, '/api/events')).text).event?.text
const publishThrough = async (text: string) =>
  expect((await publishFrom(proxy, nextSource(), text)).status).toBe(201)

/** The id that the service gave: the same for all whom the cache answers by itself. */
const idOf = async (path: string) => (await ask(proxy, path)).headers['x-request-id']

it.each(['/api/events', '/', '/embed.html'])(
  'contract R2: nginx answers %s for a second by itself, unchanged answers too',
  async (path) => {
    await publishThrough(`Kept for ${path}`)
    await vi.waitFor(async () => expect(await idOf(path)).toBe(await idOf(path)), WAIT)
    const { etag = '' } = (await ask(proxy, path)).headers
    expect(await ask(proxy, path, { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 304,
      text: '',
    })
  },
)

it('contract R3: a change is seen through it at most two seconds later, and then for good', async () => {
  await publishThrough('Before')
  await vi.waitFor(async () => expect(await textNow()).toBe('Before'), WAIT)
  await publishThrough('After')
  const answered = performance.now()
  let last = answered
  for (;;) {
    const asked = performance.now()
    if ((await textNow()) === 'After') break
    last = asked
  }
  expect(last - answered).toBeLessThan(KEPT_MS)
  for (let i = 0; i < 50; i++) expect(await textNow()).toBe('After')
})

it('contract R4: an open page hears of a change, and no copy of a stream is kept', async () => {
  const page = follow(proxy)
  await vi.waitFor(() => expect(page.received()).toContain('data: '), WAIT)
  await publishThrough('At once')
  await vi.waitFor(() => expect(page.received()).toContain('At once'), WAIT)
  page.stop()
})

it('contract R7, O3: nothing else is kept', async () => {
  for (const path of ['/admin', '/readyz', '/api/events/scheduled']) {
    expect(await idOf(path)).not.toBe(await idOf(path))
  }
})
