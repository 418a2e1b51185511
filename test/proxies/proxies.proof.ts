import { renameSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { API_SECRET, nextAddress } from '../harness.ts'
import { type Running, running } from '../running.ts'
import { temporaryDirectory } from '../stores.ts'
import { isInstalled, KINDS, type ProxyServer, startProxy } from './servers.ts'
import { ask, follow, nextSource, publishFrom } from './visitor.ts'

const WAIT = { timeout: 15_000, interval: 20 }

for (const kind of KINDS) {
  const missing = process.platform !== 'linux' || !isInstalled(kind)

  describe(`the guide's ${kind.name}`, () => {
    const directory = temporaryDirectory()
    let service: Running
    let proxy: ProxyServer
    beforeAll(async () => {
      if (missing) return
      // As the guide says: one proxy in front.
      service = await running({ TRUST_PROXY: '1', DATABASE_URL: `file:${directory}/placard.db` })
      proxy = await startProxy(kind, service.port)
    })
    afterAll(async () => {
      await proxy?.stop()
      await service?.close()
    })

    beforeEach((context) => skipAloud(context, missing, `${kind.name}, openssl and Linux`))

    it('spec 4.2, contract R2: passes API, page and checks on, over TLS with HTTP/2 and HTTP/1.1', async () => {
      expect((await publishFrom(proxy, nextSource(), 'Behind a proxy')).status).toBe(201)
      const read = await ask(proxy, '/api/events')
      expect(read.status).toBe(200)
      expect(JSON.parse(read.text)).toMatchObject({ event: { text: 'Behind a proxy' } })
      const { etag = '' } = read.headers
      const again = await ask(proxy, '/api/events', { headers: { 'if-none-match': etag } })
      expect(again).toMatchObject({ status: 304, text: '' })
      const page = await ask(proxy, '/')
      expect(page.headers['content-type']).toContain('text/html')
      expect(page.text).toContain('Behind a proxy')
      for (const path of ['/healthz', '/readyz']) {
        expect(await ask(proxy, path)).toMatchObject({ status: 200 })
      }
      const older = await new Promise((resolve, reject) => {
        const { port, certificate: ca } = proxy
        const asked = request({ host: 'localhost', family: 4, port, ca, path: '/api/events' })
        asked.once('response', resolve).once('error', reject).end()
      })
      expect(older).toMatchObject({ statusCode: 200, httpVersion: '1.1', headers: { etag } })
      ;(older as NodeJS.ReadableStream).resume()
    })

    it('contract A1, A2: each client counts by its own address, not by its X-Forwarded-For', async () => {
      const [one, other] = [nextSource(), nextSource()]
      const left = async (from: string, forged?: string) => {
        const more = forged ? { 'x-forwarded-for': forged } : undefined
        const { headers } = await publishFrom(proxy, from, 'From where?', more)
        return /r=(\d+)/.exec(String(headers.ratelimit))?.[1]
      }
      expect(await left(one)).toBe('9')
      expect(await left(one, '203.0.113.1')).toBe('8')
      expect(await left(one, `203.0.113.2, ${other}`)).toBe('7')
      expect(await left(other)).toBe('9')
    })

    it('contract R4: an event is on an open page at once, and a page that leaves takes no place', async () => {
      const page = follow(proxy)
      await vi.waitFor(() => expect(page.received()).toContain('data: '), WAIT)
      expect(page.protocol()).toBe('h2')
      await publishFrom(proxy, nextSource(), 'The moment it changes')
      await vi.waitFor(() => expect(page.received()).toContain('The moment it changes'), WAIT)
      expect(page.ended()).toBe(false)
      expect(await streams()).toBe(1)
      page.stop()
      await vi.waitFor(async () => expect(await streams()).toBe(0), WAIT)
    })

    async function streams() {
      const headers = { Authorization: `Bearer ${API_SECRET}`, 'X-Forwarded-For': nextAddress() }
      const text = await (await service.fetch('/metrics', { headers })).text()
      return Number(/^placard_streams (\d+)$/m.exec(text)?.[1])
    }

    it('contract A12, R4: while it takes a new configuration no write is lost, and no page goes deaf', async () => {
      const page = follow(proxy)
      await vi.waitFor(() => expect(page.received()).toContain('data: '), WAIT)
      let reloading = true
      const writer = async () => {
        const ids: unknown[] = []
        // At least one begins after the reload.
        for (let after = 0; after < 2; after += reloading ? 0 : 1) {
          const { status, headers } = await publishFrom(proxy, nextSource(), 'During a reload')
          expect(status).toBe(201)
          ids.push(headers['placard-event-id'])
        }
        return ids
      }
      const writers = [writer(), writer(), writer()]
      await proxy.reload()
      reloading = false
      const written = (await Promise.all(writers)).flat()
      const bearer = { authorization: `Bearer ${API_SECRET}` }
      const history = await ask(proxy, '/api/events/history?limit=100', { headers: bearer })
      const { entries } = JSON.parse(history.text) as { entries: { after: { id: string } }[] }
      const kept = entries.map(({ after }) => after.id)
      expect(written.slice(-100).filter((id) => !kept.includes(id as string))).toEqual([])
      await publishFrom(proxy, nextSource(), 'After the reload')
      await vi.waitFor(
        () => expect(page.ended() || page.received().includes('After the reload')).toBe(true),
        WAIT,
      )
      page.stop()
    })

    if (kind.name !== 'HAProxy') return

    it('contract R3: takes a node without its database for reads alone, and for all when it has it back', async () => {
      const up = async (backend: string) => {
        const line = (await proxy.tell('show stat'))
          .split('\n')
          .find((row) => row.startsWith(`${backend},node1,`))
        return line?.split(',')[17]
      }
      await vi.waitFor(async () => expect(await up('ready')).toBe('UP'), WAIT)
      await vi.waitFor(async () => expect(await up('alive')).toBe('UP'), WAIT)
      const [there, away] = [join(directory, 'placard.db'), join(directory, 'away.db')]
      renameSync(there, away)
      await vi.waitFor(async () => expect(await up('ready')).toBe('DOWN'), WAIT)
      expect(await up('alive')).toBe('UP')
      const read = await ask(proxy, '/api/events')
      expect(read).toMatchObject({ status: 200, headers: { 'placard-stale': '1' } })
      const refused = await publishFrom(proxy, nextSource(), 'Not now')
      expect(refused.status).toBe(503)
      expect(JSON.parse(refused.text)).toEqual({ error: expect.stringContaining('database') })
      renameSync(away, there)
      await vi.waitFor(async () => expect(await up('ready')).toBe('UP'), WAIT)
      expect((await publishFrom(proxy, nextSource(), 'Now')).status).toBe(201)
    })
  })
}
