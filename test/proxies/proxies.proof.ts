import { renameSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { DRAFT, historyOf } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { type Running, running } from '../running.ts'
import { soon } from '../soon.ts'
import { temporaryDirectory } from '../stores.ts'
import { isMissing, KINDS, type Kind, type ProxyServer, startProxy } from './servers.ts'
import { ask, askInHttp1, follow, nextSource, publishThrough, WRITES } from './visitor.ts'

let service: Running
let proxy: ProxyServer
let file: string

/** One proxy in front of a service, for all tests of a block. */
function inFront(kind: Kind) {
  const missing = isMissing(kind)
  beforeAll(async () => {
    if (missing) return
    file = join(temporaryDirectory(), 'placard.db')
    service = await running({ TRUST_PROXY: '1', DATABASE_URL: `file:${file}` })
    proxy = await startProxy(kind, service.port)
  })
  beforeEach((context) => skipAloud(context, missing, `${kind.name} and Linux`))
}

const textNow = async () => JSON.parse((await ask(proxy, '/api/events')).text).event?.text
const put = async (text: string) => expect((await publishThrough(proxy, text)).status).toBe(201)

describe.each(KINDS)("the guide's $name configuration", (kind) => {
  inFront(kind)

  it('spec 4.2, contract R2: passes on the API, the page and health checks, over TLS with HTTP/2 and HTTP/1.1', async () => {
    await put('Behind a proxy')
    const { status, text, headers } = await ask(proxy, '/api/events')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ event: { text: 'Behind a proxy' } })
    const { etag = '' } = headers
    const again = await ask(proxy, '/api/events', { headers: { 'if-none-match': etag } })
    expect(again).toMatchObject({ status: 304, text: '' })
    const page = await ask(proxy, '/')
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.text).toContain('Behind a proxy')
    for (const path of ['/healthz', '/readyz']) expect((await ask(proxy, path)).status).toBe(200)
    const older = await askInHttp1(proxy)
    expect(older).toMatchObject({ statusCode: 200, httpVersion: '1.1', headers: { etag } })
  })

  it('contract A1, A2: gives each client a rate limit of its own, whatever X-Forwarded-For it sends', async () => {
    const [one, other] = [nextSource(), nextSource()]
    const left = async (from: string, forged?: string) => {
      const more = forged ? { 'x-forwarded-for': forged } : undefined
      const { headers } = await publishThrough(proxy, 'From where?', from, more)
      return /r=(\d+)/.exec(String(headers.ratelimit))?.[1]
    }
    expect(await left(one)).toBe('9')
    expect(await left(one, '203.0.113.1')).toBe('8')
    expect(await left(one, `203.0.113.2, ${other}`)).toBe('7')
    expect(await left(other)).toBe('9')
  })

  it('contract R4: shows a change on an open page at once, and frees the stream of a closed page', async () => {
    const streams = async () => (await service.metrics('streams')).streams
    const page = await follow(proxy)
    expect(page.protocol).toBe('h2')
    await put('The moment it changes')
    await page.gets('The moment it changes')
    expect([page.ended(), await streams()]).toEqual([false, 1])
    page.stop()
    await soon(async () => expect(await streams()).toBe(0))
  })

  it('contract A12, R4: loses no write and keeps open pages current while it reloads its configuration', async () => {
    const page = await follow(proxy)
    let reloading = true
    const writer = async () => {
      const ids: unknown[] = []
      // At least one write begins after the reload.
      for (let after = 0; after < 2; after += reloading ? 0 : 1) {
        const { status, headers } = await publishThrough(proxy, 'During a reload')
        expect(status).toBe(201)
        ids.push(headers['placard-event-id'])
      }
      return ids
    }
    const writers = [writer(), writer(), writer()]
    await proxy.reload()
    reloading = false
    const written = (await Promise.all(writers)).flat()
    const kept = (await historyOf(service, '?limit=100')).map(({ after }) => after?.id)
    expect(written.slice(-100).filter((id) => !kept.includes(id as string))).toEqual([])
    await put('After the reload')
    await page.gets('After the reload', true)
    page.stop()
  })

  it('contract R10: loses no write on a connection that was idle for 7 s', async () => {
    /** A client that writes over one connection, in HTTP/1.1, because over HTTP/2 a client may retry by itself. */
    const writer = () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: nextSource() })
      onTestFinished(() => agent.destroy())
      const write = { agent, method: 'POST', headers: WRITES }
      /** Resolves with the status, or with what went wrong. */
      return () =>
        askInHttp1(proxy, write, JSON.stringify(DRAFT)).then(
          ({ statusCode }) => statusCode,
          (error) => error,
        )
    }
    const writers = Array.from({ length: 16 }, writer)
    const answered = writers.map(() => 201)
    expect(await Promise.all(writers.map((write) => write()))).toEqual(answered)
    // While stopped, the proxy can't notice a closed connection. On continuing, it notices that and the write together.
    proxy.send('SIGSTOP')
    // Longer than the 6 s after which Node closes an idle connection by default.
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    const answers = Promise.all(writers.map((write) => write()))
    // Until the writes have been sent.
    await new Promise((resolve) => setTimeout(resolve, 50))
    proxy.send('SIGCONT')
    expect(await answers).toEqual(answered)
  })

  if (kind.name !== 'HAProxy') return

  it('contract R3: sends only reads to a node without its database, and all requests once it is back', async () => {
    const isNow = (backend: string, state: 'UP' | 'DOWN') =>
      soon(async () => {
        const rows = (await proxy.tell('show stat')).split('\n')
        const row = rows.find((row) => row.startsWith(`${backend},node1,`))
        expect(row?.split(',')[17]).toBe(state)
      })
    await isNow('ready', 'UP')
    await isNow('alive', 'UP')
    renameSync(file, `${file}.away`)
    await isNow('ready', 'DOWN')
    await isNow('alive', 'UP')
    const read = await ask(proxy, '/api/events')
    expect(read).toMatchObject({ status: 200, headers: { 'placard-stale': '1' } })
    const refused = await publishThrough(proxy, 'Not now')
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.text)).toEqual({ error: expect.stringContaining('database') })
    renameSync(`${file}.away`, file)
    await isNow('ready', 'UP')
    await put('Now')
  })
})

describe("nginx with the guide's one-second cache", () => {
  const block = blockAfter('docs/scaling.md', '### nginx, if changes may show two seconds late')
  inFront({ ...(KINDS[0] as Kind), block })

  const isCached = async (path: string, headers = {}) =>
    (await ask(proxy, path, { headers })).headers['x-cache'] === 'HIT'

  it.each(['/api/events', '/', '/embed.js', '/embed.json?lang=de'])(
    'contract R2: serves %s from its cache for a second, including 304s',
    async (path) => {
      await put(`Kept for ${path}`)
      await soon(async () => expect(await isCached(path)).toBe(true))
      const { etag = '' } = (await ask(proxy, path)).headers
      const unchanged = await ask(proxy, path, { headers: { 'if-none-match': etag } })
      expect(unchanged).toMatchObject({ status: 304, text: '' })
    },
  )

  it('contract R3, R4: shows a change at once on open pages, and everywhere after at most two seconds', async () => {
    await put('Before')
    await soon(async () => expect(await textNow()).toBe('Before'))
    const page = await follow(proxy)
    await put('After')
    const answered = performance.now()
    let last = answered
    for (;;) {
      const asked = performance.now()
      if ((await textNow()) === 'After') break
      last = asked
    }
    // nginx's clock counts whole seconds.
    expect(last - answered).toBeLessThan(2_000)
    for (let i = 0; i < 50; i++) expect(await textNow()).toBe('After')
    await page.gets('After')
    page.stop()
  })

  it("contract R7, O3: never caches the owner's pages and reads, or a health check", async () => {
    for (const path of ['/admin', '/readyz', '/api/events/scheduled']) {
      // Only a response that is sent with the owner's token could be cached for a stranger.
      await ask(proxy, path, { headers: WRITES })
      expect(await isCached(path, WRITES), path).toBe(false)
    }
  })
})
