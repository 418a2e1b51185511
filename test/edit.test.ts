import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { documented } from './documented.ts'
import {
  coupon,
  current,
  type DirectMount,
  DRAFT,
  type Extra,
  makePlacard,
  nextAddress,
  notify,
  publish,
  write,
} from './harness.ts'
import { STORES } from './stores.ts'

const HOUR = 3_600_000
const PRODUCT = { text: 'Version 2 is here', type: 'product', slug: '/v2' }

for (const kind of STORES) {
  describe(`contract A18: PUT /api/events/ID, ${kind.name}`, () => {
    let mount: DirectMount
    beforeEach(async () => {
      mount = documented(makePlacard(await (await kind.place()).open()))
    })
    afterEach(() => mount.close())

    const get = async (path: string) =>
      (await mount.fetch(path, { headers: { Authorization: `Bearer ${mount.apiSecret}` } })).json()
    const slots = async () => (await get('/api/events/slots')).events
    const latest = async () => (await get('/api/events/history?limit=1')).entries[0]
    const put = (id: unknown, body: unknown, extra: Extra = {}) =>
      write(mount, 'PUT', body, extra, `/api/events/${id}`)
    const issues = async (response: Response) => {
      expect(response.status).toBe(400)
      return (await response.json()).issues.map(({ path }: { path: string }) => path)
    }

    it('what shows keeps its id, its timestamp and its place, and loses what the body leaves out', async () => {
      await publish(mount, PRODUCT)
      await publish(mount, { ...DRAFT, icon: 'newspaper', translations: { de: 'Etwas' } })
      const [before, product] = await slots()
      const seen = (await mount.fetch('/api/events')).headers.get('etag')
      mount.clock.advance(HOUR)
      const answer = await put(before.id, { ...DRAFT, text: 'Better said' })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ message: 'Event edited.', ok: true })
      expect(answer.headers.get('placard-event-id')).toBe(before.id)
      const { id, timestamp } = before
      expect(await current(mount)).toEqual({ ...DRAFT, text: 'Better said', id, timestamp })
      expect((await slots())[1]).toEqual(product)
      expect((await mount.fetch('/api/events')).headers.get('etag')).not.toBe(seen)
    })

    it('contract R8, R9: an edit that changes nothing is no row, so an undo takes the change before it back', async () => {
      await publish(mount)
      const before = await current(mount)
      const edited = { ...DRAFT, text: 'Better said' }
      for (const _ of ['once', 'once more']) {
        expect((await put(before?.id, edited)).status).toBe(200)
      }
      expect((await get('/api/events/history')).entries).toHaveLength(2)
      expect((await write(mount, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
      expect(await current(mount)).toEqual(before)
    })

    it('contract R8, R9: the history says edited, with both wordings, and an undo brings the first back', async () => {
      await publish(mount)
      const before = await current(mount)
      await put(before?.id, { ...DRAFT, text: 'Better said' }, { 'Placard-Actor': 'Anna' })
      expect(await latest()).toMatchObject({
        action: 'edited',
        by: { via: 'api', name: 'Anna' },
        before,
        after: { ...before, text: 'Better said' },
      })
      expect((await write(mount, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
      expect(await current(mount)).toEqual(before)
      expect(await latest()).toMatchObject({
        action: 'edited',
        by: { undoing: expect.any(String) },
      })
    })

    it('what a coupon put up keeps the coupon, and no edit outlasts it', async () => {
      const redeemBy = Math.floor(mount.now() / 1000) + 7_200
      await notify(mount, coupon('created', { name: 'Black Friday', coupon: 'BF', redeemBy }))
      const [before] = await slots()
      const end = redeemBy * 1000
      const edited = { text: 'Black Friday, all day', type: 'coupon', slug: '#coupon' }
      expect(await issues(await put(before.id, edited))).toEqual(['expiresAt'])
      expect(await issues(await put(before.id, { ...edited, expiresAt: end + 1 }))).toEqual([
        'expiresAt',
      ])
      expect((await put(before.id, { ...edited, expiresAt: end - HOUR })).status).toBe(200)
      expect((await slots())[0]).toMatchObject({
        ...edited,
        coupon: 'BF',
        timestamp: before.timestamp,
      })
      // Its own end is still known, though it ended earlier meanwhile.
      expect((await put(before.id, { ...edited, expiresAt: end })).status).toBe(200)
      expect(await issues(await put(before.id, { ...edited, expiresAt: end + 1 }))).toEqual([
        'expiresAt',
      ])
      // The coupon's own notifications still concern it.
      const gone = coupon('deleted', { name: 'Black Friday', coupon: 'BF' })
      expect(await (await notify(mount, gone)).json()).toMatchObject({ outcome: 'withdrawn' })
      expect(await current(mount)).toBeNull()
    })

    it('what is published stays of its type, and is not scheduled', async () => {
      await publish(mount)
      const shown = await current(mount)
      const startsAt = mount.now() + HOUR
      expect(await issues(await put(shown?.id, { ...DRAFT, type: 'product' }))).toEqual(['type'])
      expect(await issues(await put(shown?.id, { ...DRAFT, startsAt }))).toEqual(['startsAt'])
      expect(await issues(await put(shown?.id, { ...DRAFT, text: 'x', slug: '//x' }))).toEqual([
        'text',
        'slug',
      ])
      expect(await current(mount)).toEqual(shown)
      // A start that has passed is none.
      expect((await put(shown?.id, { ...DRAFT, startsAt: mount.now() - 1 })).status).toBe(200)
    })

    it('what is scheduled keeps its id and its place, and is up at once without a start', async () => {
      const startsAt = String(mount.now() + HOUR)
      const later = await publish(mount, { ...DRAFT, startsAt })
      const id = later.headers.get('placard-event-id')
      const moved = { ...DRAFT, text: 'Later', startsAt: String(mount.now() + 2 * HOUR) }
      const answer = await put(id, moved)
      expect(answer.status).toBe(200)
      expect((await answer.json()).message).toMatch(/^Event scheduled; it starts at /)
      expect((await get('/api/events/scheduled')).events).toMatchObject([{ ...moved, id }])
      expect((await latest()).action).toBe('edited')
      expect((await put(id, { ...DRAFT, text: 'At once' })).status).toBe(200)
      expect(await current(mount)).toMatchObject({ id, text: 'At once' })
      expect((await get('/api/events/scheduled')).events).toEqual([])
    })

    it('contract A17: If-Match takes the tag of what shows, or that of what is edited', async () => {
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
        expect((await put(id, body, { 'If-Match': '"other"' })).status).toBe(412)
        expect((await put(id, body, { 'If-Match': etag })).status).toBe(200)
        // Somebody else has seen it as it was.
        expect((await put(id, body, { 'If-Match': etag })).status).toBe(412)
        const seen = String((await mount.fetch('/api/events')).headers.get('etag'))
        expect((await put(id, body, { 'If-Match': seen })).status).toBe(200)
      }
    })

    it('an id that is not there is 404, also of what has ended or was taken down', async () => {
      expect((await put('none', DRAFT)).status).toBe(404)
      const end = mount.now() + HOUR
      await publish(mount, { ...DRAFT, expiresAt: end })
      const id = (await current(mount))?.id
      mount.clock.advance(HOUR)
      expect((await put(id, DRAFT)).status).toBe(404)
      expect(await current(mount)).toBeNull()
    })

    it('contract A1, A4, R5: it is counted, needs the bearer, and is the only method there', async () => {
      const from = { 'X-Forwarded-For': nextAddress() }
      expect((await put('none', DRAFT, { ...from, Authorization: undefined })).status).toBe(401)
      for (let count = 0; count < 9; count++) {
        expect((await put('none', DRAFT, from)).status).toBe(404)
      }
      expect((await put('none', DRAFT, from)).status).toBe(429)
      const other = await mount.fetch('/api/events/none')
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'PUT'])
    })
  })
}
