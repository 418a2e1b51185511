import { expect, it } from 'vitest'
import { OPTIONAL } from '../src/core/fields.ts'
import {
  coupon,
  current,
  DRAFT,
  historyOf,
  idOf,
  notify,
  publish,
  put,
  readOwned,
  withdraw,
} from './harness.ts'
import { onEachStore } from './suites/mount.ts'

const HOUR = 3_600_000
const PRODUCT = { text: 'Version 2 is here', type: 'product', slug: '/v2' }

onEachStore('contract A18: PUT /api/events/ID', (mount) => {
  const get = async (path: string) => (await readOwned(mount, path)).json()
  const slots = async () => (await get('/api/events/slots')).events
  const latest = async () => (await historyOf(mount, '?limit=1'))[0]
  const issues = async (response: Response) => {
    expect(response.status).toBe(400)
    return (await response.json()).issues.map(({ path }: { path: string }) => path)
  }

  it('a published announcement keeps its id, timestamp and place in the order, and loses the fields that the body omits', async () => {
    await publish(mount, PRODUCT)
    const slugs = { de: '/de' }
    const optional = { icon: 'star', translations: { de: 'Etwas' }, slugs, language: 'en' }
    await publish(mount, { ...DRAFT, ...optional, expiresAt: mount.now() + 2 * HOUR })
    const [before, product] = await slots()
    expect(Object.keys(before)).toEqual(expect.arrayContaining(Object.keys(OPTIONAL)))
    const seen = (await mount.fetch('/api/events')).headers.get('etag')
    mount.clock.advance(HOUR)
    const answer = await put(mount, before.id, { ...DRAFT, text: 'Better said' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ message: 'Event edited.', ok: true })
    expect(answer.headers.get('placard-event-id')).toBe(before.id)
    const { id, timestamp } = before
    expect(await current(mount)).toEqual({ ...DRAFT, text: 'Better said', id, timestamp })
    expect((await slots())[1]).toEqual(product)
    expect((await mount.fetch('/api/events')).headers.get('etag')).not.toBe(seen)
  })

  it('a coupon announcement keeps its coupon, and may not end later than the coupon', async () => {
    const redeemBy = Math.floor(mount.now() / 1000) + 7_200
    await notify(mount, coupon('created', { name: 'Before it', coupon: 'OLD' }))
    await notify(mount, coupon('created', { name: 'Black Friday', coupon: 'BF', redeemBy }))
    const [before] = await slots()
    const end = redeemBy * 1000
    const edited = { text: 'Black Friday, all day', type: 'coupon', slug: '#coupon' }
    const editTo = (expiresAt?: number) => put(mount, before.id, { ...edited, expiresAt })
    expect(await issues(await editTo())).toEqual(['expiresAt'])
    expect(await issues(await editTo(end + 1))).toEqual(['expiresAt'])
    expect((await editTo(end - HOUR)).status).toBe(200)
    const { timestamp } = before
    expect((await slots())[0]).toMatchObject({ ...edited, coupon: 'BF', timestamp })
    // The coupon's end is still known, although the announcement was to end earlier.
    expect((await editTo(end)).status).toBe(200)
    expect(await issues(await editTo(end + 1))).toEqual(['expiresAt'])
    // The coupon's notifications still apply to it.
    const gone = coupon('deleted', { name: 'Black Friday', coupon: 'BF' })
    expect(await (await notify(mount, gone)).json()).toMatchObject({ outcome: 'withdrawn' })
    expect(await current(mount)).toBeNull()
  })

  it("a published announcement keeps its type, and can't be scheduled", async () => {
    const id = idOf(await publish(mount))
    const shown = await current(mount)
    const startsAt = mount.now() + HOUR
    for (const [parts, ...paths] of [
      [{ type: 'product' }, 'type'],
      [{ startsAt }, 'startsAt'],
      [{ text: 'x', slug: '//x' }, 'text', 'slug'],
    ] as const) {
      expect(await issues(await put(mount, id, { ...DRAFT, ...parts }))).toEqual(paths)
    }
    expect(await current(mount)).toEqual(shown)
    // A past start counts as none. An edit that changes nothing adds no history row (contract R8).
    for (const parts of [{ startsAt: mount.now() - 1 }, { text: 'Better' }, { text: 'Better' }]) {
      expect((await put(mount, id, { ...DRAFT, ...parts })).status).toBe(200)
    }
    expect(await historyOf(mount)).toMatchObject([
      { action: 'edited', before: shown },
      { action: 'published' },
    ])
  })

  it('contract A14: a scheduled announcement is replaced completely, keeps its id, and is published if the body has no start', async () => {
    const plain = { ...DRAFT, startsAt: String(mount.now() + HOUR) }
    const full = {
      ...{ text: 'All else', type: 'coupon', slug: '/else', icon: 'star' },
      ...{ startsAt: String(mount.now() + 2 * HOUR), expiresAt: String(mount.now() + 3 * HOUR) },
      translations: { de: 'Ganz anders' },
    }
    const id = idOf(await publish(mount, plain))
    for (const body of [full, plain, full]) {
      const answer = await put(mount, id, body)
      expect(answer.status).toBe(200)
      expect((await answer.json()).message).toMatch(/^Event scheduled; it starts at /)
      const { events } = await get('/api/events/scheduled')
      expect(events).toEqual([{ ...body, id, etag: expect.any(String) }])
      expect((await latest())?.action).toBe('edited')
    }
    const { startsAt: _, ...now } = full
    expect((await put(mount, id, now)).status).toBe(200)
    expect(await current(mount)).toEqual({ ...now, id, timestamp: expect.any(String) })
    expect((await get('/api/events/scheduled')).events).toEqual([])
  })

  it('contract A17: If-Match accepts the ETag of GET or of the announcement itself', async () => {
    const startsAt = mount.now() + HOUR
    await publish(mount, PRODUCT)
    await publish(mount)
    await publish(mount, { ...DRAFT, type: 'coupon', startsAt })
    const [shown, product] = await slots()
    const [next] = (await get('/api/events/scheduled')).events
    expect((await mount.fetch('/api/events')).headers.get('etag')).toBe(shown.etag)
    const bodies = [
      [shown, { ...DRAFT, text: 'The first edit' }],
      [product, { ...PRODUCT, text: 'The first edit' }],
      [next, { ...DRAFT, type: 'coupon', text: 'The first edit', startsAt }],
    ]
    for (const [{ id, etag }, body] of bodies) {
      expect((await put(mount, id, body, { 'If-Match': '"other"' })).status).toBe(412)
      expect((await put(mount, id, body, { 'If-Match': etag })).status).toBe(200)
      // Another editor still has the previous ETag.
      expect((await put(mount, id, body, { 'If-Match': etag })).status).toBe(412)
      const seen = String((await mount.fetch('/api/events')).headers.get('etag'))
      expect((await put(mount, id, body, { 'If-Match': seen })).status).toBe(200)
    }
  })

  it('an unknown id gets 404, and so does the id of an announcement that has ended or was withdrawn', async () => {
    expect((await put(mount, 'none', DRAFT)).status).toBe(404)
    const down = idOf(await publish(mount))
    await withdraw(mount, { type: 'post' })
    expect((await put(mount, down, DRAFT)).status).toBe(404)
    const end = mount.now() + HOUR
    await publish(mount, { ...DRAFT, expiresAt: end })
    const id = (await current(mount))?.id
    mount.clock.advance(HOUR)
    expect((await put(mount, id, DRAFT)).status).toBe(404)
    expect(await current(mount)).toBeNull()
  })
})
