import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { coupon, type DirectMount, makePlacard, manualClock, notify } from './harness.ts'
import { RELEASED, type SharedPlace } from './released.ts'
import { eventsIn } from './stores.ts'

const TABLES = ['event', 'scheduled', 'history', 'notification', 'clock', 'kysely_migration']
const END = { action: 'ended', by: { via: 'api' }, before: { type: 'product' }, after: null }

for (const kind of RELEASED) {
  describe(`a database of version 0.1.0, ${kind.name}`, () => {
    const [whileProduct] = kind.reads as [(typeof kind.reads)[0]]
    let place: SharedPlace
    let mount: DirectMount
    beforeEach(async () => {
      place = await kind.filled()
      mount = makePlacard(place.today(), {}, manualClock(whileProduct.at))
    })
    afterEach(() => mount.close())

    it('contract R1, R2: has the same events, ids, timestamps and ETags', async () => {
      for (const { at, etag, body } of kind.reads) {
        mount.clock.set(at)
        const response = await mount.fetch('/api/events')
        expect(await response.text()).toBe(body)
        expect(response.headers.get('etag')).toBe(etag)
        const init = { headers: { 'If-None-Match': etag } }
        expect((await mount.fetch('/api/events', init)).status).toBe(304)
      }
    })

    it('contract R1: gives timestamps that are later than those given before', async () => {
      mount.clock.set(0)
      const { event } = JSON.parse(whileProduct.body)
      const published = await mount.placard.publish({ text: 'New', type: 'post', slug: '/' })
      expect(published).toMatchObject({ timestamp: Number(event.timestamp) + 1 })
    })

    it('contract W6: recognises a notification that is delivered again', async () => {
      const published = await notify(mount, coupon('created', { name: 'Early bird' }, 1, 'evt_1'))
      expect(await published.json()).toEqual({ received: true, outcome: 'published' })
      const stale = await notify(mount, coupon('deleted', {}, 2_000_000_000, 'evt_3'))
      expect(await stale.json()).toEqual({ received: true, outcome: 'ignored', reason: 'stale' })
      expect(await (await mount.fetch('/api/events')).text()).toBe(whileProduct.body)
      expect(await place.rows('notification')).toHaveLength(3)
    })

    it('contract R8: has an empty history, which records what happens from then on', async () => {
      const store = place.today()
      expect(await store.history(10, null)).toEqual([])
      const { event } = JSON.parse(whileProduct.body)
      await store.recordTransitions(Number(event.expiresAt))
      expect(await store.history(10, null)).toMatchObject([{ ...END, at: Number(event.expiresAt) }])
      await store.close()
    })

    it('contract R9: gives back what was there, with its id, timestamp and coupon', async () => {
      const store = place.today()
      const before = await eventsIn(store)
      expect(before.map((event) => event.coupon)).toEqual([null, 'FRIDAY', null])
      for (const { id } of before) await mount.placard.withdraw({ id })
      expect(await eventsIn(store)).toEqual([])
      const context = { now: mount.now(), by: { via: 'code' as const } }
      for (const entry of [1, 2, 3]) await store.undo(entry, context)
      expect(await eventsIn(store)).toEqual(before)
      await store.close()
    })

    it('is as it was after a second open', async () => {
      await mount.placard.snapshot()
      await mount.close()
      const all = () => Promise.all(TABLES.map(place.rows))
      const first = await all()
      const store = place.today()
      await store.load()
      await store.close()
      expect(await all()).toEqual(first)
      expect(first[0]).toHaveLength(3)
    })
  })
}
