import { expect, it } from 'vitest'
import { DOCUMENT, OPERATIONS } from '../documented.ts'
import { clear, DRAFT, idOf, type Mount, publish, withdraw } from '../harness.ts'

/** `GET /api/events` and unknown paths, as clients see them. */
export function reading(mount: Mount): void {
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    mount.fetch('/api/events', { method, headers })

  it('contract R1, R2, spec 4.2: GET returns the newest event, without an icon if none is set', async () => {
    await publish(mount, { ...DRAFT, type: 'product' })
    const id = idOf(await publish(mount))
    const response = await get()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    // Without PURGE, no shared cache keeps it.
    expect(response.headers.has('cdn-cache-control')).toBe(false)
    const body = await response.json()
    expect(body).toEqual({ event: { id, ...DRAFT, timestamp: body.event.timestamp } })
    expect(body.event.timestamp).toMatch(/^\d{13,}$/)
    await publish(mount, { ...DRAFT, icon: 'tag' })
    expect((await (await get()).json()).event.icon).toBe('tag')
  })

  it('contract R2: the ETag stays the same while the body does, and differs after every change', async () => {
    const tag = async () => String((await get()).headers.get('etag'))
    const tags = [await tag()]
    for (const parts of [
      {},
      {},
      { text: 'other text' },
      { slug: '/other' },
      { icon: 'tag' },
      { type: 'coupon' },
      { expiresAt: '9999-01-01T00:00:00Z' },
    ]) {
      await publish(mount, { ...DRAFT, ...parts })
      tags.push(await tag())
      expect(await tag()).toBe(tags.at(-1))
    }
    expect(new Set(tags).size).toBe(tags.length)
    await clear(mount)
    expect(await tag()).toBe(tags[0])
  })

  it('contract R2: HEAD returns what GET does without the body, and a matching If-None-Match gets 304', async () => {
    await publish(mount)
    const [full, head] = [await get(), await get({}, 'HEAD')]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    const kept = (response: Response) =>
      [...response.headers].filter(([key]) => !/^(date|connection|keep-al|transfer-enc)/.test(key))
    expect(kept(head)).toEqual(kept(full))
    const tag = String(full.headers.get('etag'))
    for (const value of [tag, `"x",W/"y" ,W/${tag}`]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await get({ 'If-None-Match': value }, method)
        expect(response.status, value).toBe(304)
        expect(await response.text()).toBe('')
        expect(response.headers.get('etag')).toBe(tag)
        expect(response.headers.get('cache-control')).toBe('no-cache')
      }
    }
  })

  it('contract R3: every acknowledged write shows in every GET that starts later', async () => {
    for (let round = 0; round < 20; round++) {
      const text = `round ${round}`
      await publish(mount, { ...DRAFT, text })
      const reads = await Promise.all([get(), get(), get()])
      for (const read of reads) expect((await read.json()).event?.text).toBe(text)
      if (round % 3 === 0) {
        await withdraw(mount, { type: 'post' })
        expect(await (await get()).json()).toEqual({ event: null })
      }
    }
  })

  it.each([
    ['PUT', '/api/events', 'GET, HEAD, POST, DELETE'],
    ['GET', '/api/webhooks', 'POST'],
    ['HEAD', '/api/webhooks', 'POST'],
    ['OPTIONS', '/api/webhooks', 'POST'],
  ])('contract R5: %s %s gets 405 with Allow', async (method, path, allow) => {
    const response = await mount.fetch(path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
  })

  it.for([
    ['/api'],
    ['/api/', 308],
    ['/api/event'],
    ['/api/events/', 308],
    ['/api/events/x/y'],
    ['/api/%', 500],
    ['/api/%E0%A4', 500],
  ] as [path: string, byNext?: number][])(
    'contract R5, R6, spec 9: %s gets 404 with an error',
    async ([path, byNext]) => {
      const response = await mount.fetch(path, { redirect: 'manual' })
      if (mount.inNext && byNext) return expect(response.status).toBe(byNext)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ error: expect.any(String) })
    },
  )

  it('contract R11: the OpenAPI document is public, cacheable and linked from errors', async () => {
    const path = '/api/openapi.json'
    const response = await mount.fetch(path)
    expect(await response.json()).toEqual(DOCUMENT)
    const tag = String(response.headers.get('etag'))
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    const init = { method: 'HEAD', headers: { 'If-None-Match': tag } }
    expect((await mount.fetch(path, { method: 'HEAD' })).headers.get('etag')).toBe(tag)
    expect((await mount.fetch(path, init)).status).toBe(304)
    for (const at of ['/api/none', '/api/none/at/all', path]) {
      const { headers } = await mount.fetch(at, { method: 'PUT' })
      const [, link = ''] = /^<(.*)>; rel="service-desc"$/.exec(headers.get('link') ?? '') ?? []
      expect(new URL(link, `http://placard.test${at}`).pathname).toBe(path)
    }
  })

  it.each([
    ['/api/events', 'cache-control'],
    ['/api/events/stream', 'cache-control,last-event-id'],
    ['/api/openapi.json', undefined],
  ])('contract R5: a preflight for a read of %s gets 204', async (path, asked) => {
    const question = {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'GET',
      ...(asked && { 'Access-Control-Request-Headers': asked }),
    }
    const response = await mount.fetch(path, { method: 'OPTIONS', headers: question })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    // A service worker that passes on the request of an `EventSource` needs both headers.
    const allowed = response.headers.get('access-control-allow-headers')
    expect(allowed).toBe('cache-control, last-event-id')
    for (const name of ['Origin', 'Access-Control-Request-Method'] as const) {
      const { [name]: _, ...rest } = question
      const lacking = await mount.fetch(path, { method: 'OPTIONS', headers: rest })
      expect(lacking.status).toBe(405)
    }
  })

  it('contract R5: pages of other sites get no CORS permission to write, or to read what only the owner may read', async () => {
    const owned = OPERATIONS.filter(
      ({ method, path, security }) =>
        method === 'get' && path.startsWith('/api/') && security.length > 0,
    )
    expect(owned.length).toBeGreaterThan(4)
    for (const [path, method] of [
      ...owned.map(({ path }) => [path, 'GET'] as const),
      ...[['/api/events', 'POST'] as const, ['/api/events', 'DELETE'] as const],
    ]) {
      const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': method }
      const response = await mount.fetch(path, { method: 'OPTIONS', headers })
      expect(response.status).toBe(405)
      expect(response.headers.has('access-control-allow-origin')).toBe(false)
    }
    const written = await publish(mount, DRAFT, { Origin: 'https://evil.example' })
    expect(written.headers.has('access-control-allow-origin')).toBe(false)
  })

  it('contract R6: a successful read has no request id, and every error response has its own', async () => {
    const idOf = async (path: string) => (await mount.fetch(path)).headers.get('x-request-id')
    const ids = await Promise.all(Array.from({ length: 3 }, () => idOf('/api/none')))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain(null)
    expect(await idOf('/api/events')).toBeNull()
  })
}
