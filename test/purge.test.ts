import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PurgeTarget, purgeTarget } from '../src/local/purge-target.ts'
import { createPurger } from '../src/server/purge.ts'
import { answerOf, collectedLog, current, DRAFT, publish, timedClock, withdraw } from './harness.ts'
import { listen } from './raw.ts'
import { type Running, running } from './running.ts'
import { soon } from './soon.ts'

/** A cache that receives purge requests and responds as the test says. */
async function startCache() {
  const requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = []
  let answer = (_: IncomingMessage, response: ServerResponse) => void response.end()
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers })
    answer(request, response)
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    requests,
    answers: (next: typeof answer) => {
      answer = next
    },
  }
}

let cache: Awaited<ReturnType<typeof startCache>>
beforeEach(async () => {
  cache = await startCache()
})

describe('a purge request', () => {
  const VARNISH = 'http://cache.example:6081'
  const CDN = 'https://cdn.example/purge?site=4'
  const KEY = { 'surrogate-key': 'event' }
  const BEARER = { authorization: 'Bearer secret' }
  const JSON_BEARER = { ...BEARER, 'content-type': 'application/json' }
  const TAGS = '{"tags":["event"]}'

  it.each([
    [`varnish:${VARNISH}`, undefined, VARNISH, 'PURGE', KEY],
    [`varnish:${VARNISH}`, 'secret', VARNISH, 'PURGE', { ...KEY, ...BEARER }],
    [
      ...(['cloudflare:023e105f4ecef8ad9ca31a8372d0c353', 'secret'] as const),
      'https://api.cloudflare.com/client/v4/zones/023e105f4ecef8ad9ca31a8372d0c353/purge_cache',
      ...(['POST', JSON_BEARER, TAGS] as const),
    ],
    [
      ...(['fastly:SU1Z0isxPaozGVKXdv0eY', 'secret'] as const),
      'https://api.fastly.com/service/SU1Z0isxPaozGVKXdv0eY/purge/event',
      ...(['POST', { 'fastly-key': 'secret' }] as const),
    ],
    [CDN, 'secret', CDN, 'POST', JSON_BEARER, TAGS],
  ])(
    'contract R13: with PURGE=%s, has the right URL, method, headers and body',
    async (setting, token, url, method, headers, body?: string) => {
      const asked: object[] = []
      const purger = createPurger(purgeTarget(setting, token) as PurgeTarget, collectedLog(), {
        fetch: async (url, init) => {
          const headers = Object.fromEntries(new Headers(init?.headers))
          asked.push({ url, method: init?.method, headers, body: init?.body })
          return Response.json({ success: true, errors: [], result: { id: 'x' } })
        },
      })
      await purger.purge()
      purger.close()
      expect(asked).toEqual([{ url, method, headers, body }])
    },
  )

  it("contract R13: fails if Cloudflare's 200 doesn't report success, and doesn't log the token", async () => {
    const log = collectedLog()
    const target = purgeTarget('cloudflare:abc', 'very-secret-token') as PurgeTarget
    const purger = createPurger(target, log, {
      fetch: async () => Response.json({ success: false, errors: [{ code: 10000 }] }),
    })
    await expect(purger.purge()).rejects.toThrow(
      /api\.cloudflare\.com answered 200\. Is PURGE_TOKEN right\?/,
    )
    purger.close()
    expect(JSON.stringify(log.lines)).not.toContain('very-secret-token')
  })
})

describe('a purger', () => {
  const target = (): PurgeTarget => ({ kind: 'varnish', place: cache.url, token: undefined })

  it('contract R13: purges again 2 s later, to catch responses in flight', async () => {
    const clock = timedClock()
    const purger = createPurger(target(), collectedLog(), { clock })
    await purger.purge()
    await clock.pass(1_999)
    expect(cache.requests).toHaveLength(1)
    await clock.pass(1)
    await soon(() => expect(cache.requests).toHaveLength(2))
    await soon(() => expect(clock.planned.size).toBe(0))
    await clock.pass(60_000)
    expect(cache.requests).toHaveLength(2)
    purger.close()
  })

  it('contract R13: sends a single request for all purges that are requested while another is under way', async () => {
    const held: ServerResponse[] = []
    cache.answers((_, response) => void held.push(response))
    const purger = createPurger(target(), collectedLog())
    const first = purger.purge()
    await soon(() => expect(held).toHaveLength(1))
    const others = Array.from({ length: 50 }, () => purger.purge())
    held[0]?.end()
    await first
    await soon(() => expect(held).toHaveLength(2))
    held[1]?.end()
    await Promise.all(others)
    expect(cache.requests).toHaveLength(2)
    purger.close()
  })

  it.each([
    ["doesn't respond", ''],
    ['stops in the middle of its response', 'so '],
  ])('contract R13: times out if the cache %s', async (_, begun) => {
    cache.answers((_, response) => void (begun && response.write(begun)))
    const purger = createPurger(target(), collectedLog(), { timeoutMs: 50 })
    await expect(purger.purge()).rejects.toThrow('does not answer')
    purger.close()
  })

  it('contract R13: retries a failed purge for a minute, and logs the failure once', async () => {
    const clock = timedClock()
    const log = collectedLog()
    const purger = createPurger(target(), log, { clock })
    cache.answers((_, response) => void response.writeHead(403).end())
    await expect(purger.purge()).rejects.toThrow('answered 403. Is PURGE_TOKEN right?')
    for (let tries = 2; tries < 5; tries++) {
      await clock.pass(2_000)
      await soon(() => expect(cache.requests).toHaveLength(tries))
      await soon(() => expect(clock.planned.size).toBe(1))
    }
    cache.answers((_, response) => void response.end())
    await clock.pass(2_000)
    await soon(() => expect(log.lines).toHaveLength(2))
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info'])
    cache.answers((_, response) => void response.writeHead(500).end())
    await expect(purger.purge()).rejects.toThrow(/answered 500$/)
    // As if the machine had been asleep.
    clock.advance(60_000)
    await clock.pass(0)
    await soon(() => expect(cache.requests).toHaveLength(7))
    await soon(() => expect(clock.planned.size).toBe(0))
    purger.close()
  })
})

describe('a service with a cache in front', () => {
  let service: Running
  beforeEach(async () => {
    service = await running({ PURGE: `varnish:${cache.url}`, PURGE_TOKEN: 'of-the-cache' })
  })
  afterEach(() => service.close())
  const lifetimes = async (path = '/api/events') => {
    const { headers } = await service.fetch(path)
    expect(headers.get('cache-control')).toBe('no-cache')
    return [headers.get('cdn-cache-control'), headers.get('surrogate-control')]
  }

  it('contract R13: purges at its start and before it responds to a write, and allows no caching until the purge for the write is done', async () => {
    await soon(() => expect(cache.requests).toHaveLength(1))
    let answered = false
    const held: ServerResponse[] = []
    cache.answers((_, response) => void held.push(response))
    const writing = publish(service).finally(() => {
      answered = true
    })
    await soon(() => expect(held).toHaveLength(1))
    expect(answered).toBe(false)
    expect(await lifetimes()).toEqual([null, null])
    expect(cache.requests[1]).toMatchObject({
      method: 'PURGE',
      headers: { authorization: 'Bearer of-the-cache', 'surrogate-key': 'event' },
    })
    cache.answers((_, response) => void response.end())
    held[0]?.end()
    expect((await writing).status).toBe(201)
    expect(await lifetimes()).toEqual(['max-age=60', 'max-age=60'])
    expect(service.logged()).not.toContain('of-the-cache')
  })

  it('contract R13: purges nothing if its start fails because the port is taken', async () => {
    const settings = { PURGE: `varnish:${cache.url}`, PURGE_TOKEN: 'of-the-failed-start' }
    await expect(running({ ...settings, PORT: String(service.port) })).rejects.toThrow('EADDRINUSE')
    expect((await publish(service)).status).toBe(201)
    const tokens = cache.requests.map(({ headers }) => headers.authorization)
    expect(new Set(tokens)).toEqual(new Set(['Bearer of-the-cache']))
  })

  it('contract R13, R14: lets shared caches keep its public reads and 304s for a minute, while browsers have to revalidate', async () => {
    for (const path of [
      '/api/events',
      '/',
      '/embed.js',
      '/embed.json?lang=de',
      '/api/events?router',
    ]) {
      expect(await lifetimes(path), path).toEqual(['max-age=60', 'max-age=60'])
      const etag = (await service.fetch(path)).headers.get('etag') ?? ''
      const unchanged = await service.fetch(path, { headers: { 'If-None-Match': etag } })
      expect(unchanged.status).toBe(304)
      expect(unchanged.headers.get('surrogate-control')).toBe('max-age=60')
    }
  })

  it("contract R13: lets caches keep a response past a scheduled start, but not past the announcement's end", async () => {
    await publish(service, { ...DRAFT, expiresAt: Date.now() + 30_500 })
    await soon(async () => expect(await lifetimes()).not.toContain(null))
    const [kept] = await lifetimes()
    expect(Number(/\d+/.exec(kept ?? '')?.[0])).toBeGreaterThan(20)
    expect(Number(/\d+/.exec(kept ?? '')?.[0])).toBeLessThanOrEqual(30)
    await publish(service, { ...DRAFT, startsAt: Date.now() + 20_000 })
    await withdraw(service, { type: DRAFT.type })
    expect(await lifetimes()).toEqual(['max-age=60', 'max-age=60'])
  })

  it('contract R13, W7: stores writes but returns 503 while purges fail, and reads continue', async () => {
    await soon(() => expect(cache.requests).not.toHaveLength(0))
    let refused = 0
    cache.answers((_, response) => {
      refused++
      response.writeHead(403).end()
    })
    const error = expect.stringMatching(/^The write is stored, but a cache could not be purged/)
    expect(await answerOf(publish(service))).toMatchObject({ status: 503, error })
    expect(await current(service)).toMatchObject({ text: DRAFT.text })
    expect(service.logged().match(/could not purge the cache/g)).toHaveLength(1)
    // On a busy machine, the purge may have been repeated by now.
    await soon(async () =>
      expect(await service.metrics('purges_failed_total')).toEqual({
        purges_failed_total: refused,
      }),
    )
    cache.answers((_, response) => void response.end())
    expect((await publish(service)).status).toBe(201)
  })
})
