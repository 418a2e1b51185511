import { describe, expect, it } from 'vitest'
import type { Draft } from '../src/announcement.ts'
import { type Notice, StoreUnavailable } from '../src/store/store.ts'
import { makePlacard, publish } from './harness.ts'
import { STORES } from './stores.ts'

const draft = (parts: Partial<Draft> = {}): Draft => ({
  text: 'Stored text',
  type: 'post',
  slug: '/x',
  icon: null,
  expiresAt: null,
  ...parts,
})
const NOW = Date.UTC(2027, 0, 1)

for (const kind of STORES) {
  describe(`store, ${kind.name}`, () => {
    it('contract A12: concurrent publishers of one type, on two connections, leave one row', async () => {
      const place = await kind.place()
      const stores = [await place.open(), await place.open()]
      const published = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          stores[index % 2]?.publish(draft({ text: `text ${index}` }), NOW),
        ),
      )
      const timestamps = published.map((one) => one?.timestamp)
      expect(new Set(timestamps).size).toBe(40)
      const [last, ...others] = (await stores[0]?.list()) ?? []
      expect(others).toEqual([])
      expect(last?.timestamp).toBe(Math.max(...timestamps.map(Number)))
      expect(published).toContainEqual(last)
      await Promise.all(stores.map((store) => store.close()))
    })

    it('contract A12: what was answered is there after a reopen, every field of it', async () => {
      const place = await kind.place()
      const store = await place.open()
      const text = '👩‍👩‍👧‍👦 خصم "quoted" \'and\' \\ e\u0301'
      const parts = { text, icon: 'ArrowDown01', expiresAt: 8.64e15, slug: '/x?y=\'"#z' }
      const one = await store.publish(draft(parts), NOW)
      const two = await store.publish(draft({ type: 'product' }), NOW)
      expect(one).toMatchObject(parts)
      await store.close()
      const again = await place.open()
      expect(await again.list()).toEqual([two, one])
      await again.close()
    })

    it('contract R1: newest first by creation, strictly increasing over connections and clock steps', async () => {
      const place = await kind.place()
      const [one, two] = [await place.open(), await place.open()]
      const first = await one.publish(draft(), NOW)
      const second = await two.publish(draft({ type: 'coupon' }), NOW - 1_000_000)
      expect(first.timestamp).toBe(NOW)
      expect(second.timestamp).toBeGreaterThan(NOW)
      await one.withdraw({ type: 'coupon' }, NOW)
      await one.withdraw({ type: 'post' }, NOW)
      const third = await one.publish(draft({ type: 'product' }), NOW)
      expect(third.timestamp).toBeGreaterThan(second.timestamp)
      const fourth = await two.publish(draft(), NOW + 5_000)
      expect(fourth.timestamp).toBe(NOW + 5_000)
      expect((await two.list()).map(({ id }) => id)).toEqual([fourth.id, third.id])
      await Promise.all([one.close(), two.close()])
    })

    it('contract W6: the ledger outlives a restart', async () => {
      const place = await kind.place()
      const notice: Notice = {
        id: 'evt_1',
        type: 'coupon.created',
        created: 1_800_000_000,
        coupon: 'A',
        effect: { kind: 'publish', draft: draft({ type: 'coupon' }) },
      }
      const before = await place.open()
      expect(await before.applyNotice(notice, NOW)).toEqual({ outcome: 'published' })
      await before.close()
      const store = await place.open()
      const [kept] = await store.list()
      expect(await store.applyNotice(notice, NOW)).toEqual({ outcome: 'published' })
      expect(await store.list()).toEqual([kept])
      const older = { ...notice, id: 'evt_0', created: 1_799_999_999 }
      expect(await store.applyNotice(older, NOW)).toEqual({ outcome: 'ignored', reason: 'stale' })
      const same = { ...notice, id: 'evt_2' }
      expect(await store.applyNotice(same, NOW)).toEqual({ outcome: 'published' })
      expect((await store.list())[0]?.id).not.toBe(kept?.id)
      await store.close()
    })

    it('contract W6: what is older than any redelivery is forgotten, without losing the order', async () => {
      const place = await kind.place()
      const store = await place.open()
      const at = (id: string, created: number): Notice => ({
        id,
        type: 'coupon.created',
        created,
        coupon: id,
        effect: { kind: 'publish', draft: draft({ type: 'coupon', text: `from ${id}` }) },
      })
      await store.applyNotice(at('new', 2_000), NOW)
      const muchLater = NOW + 90 * 86_400_000
      expect(await store.applyNotice(at('old', 1_000), muchLater)).toMatchObject({
        reason: 'stale',
      })
      expect(await store.applyNotice(at('older', 999), muchLater)).toMatchObject({
        reason: 'stale',
      })
      expect((await store.list())[0]?.text).toBe('from new')
      await store.close()
    })

    it('contract R6: a mistake of ours is a 500 with its stack in the log, not "unavailable"', async () => {
      const store = await (await kind.place()).open()
      // No driver takes such a value: what the caller means by it is nothing that a database could say.
      const slip = (text: string) => draft({ text: { text, size: 1n } as unknown as string })
      await expect(store.publish(slip('direct'), NOW)).rejects.toThrow(TypeError)
      const mount = makePlacard({
        ...store,
        publish: ({ text }, now) => store.publish(slip(text), now),
      })
      const answer = await publish(mount)
      expect(answer.status).toBe(500)
      expect(await answer.json()).toEqual({ error: 'Internal error' })
      expect(JSON.stringify(mount.log.lines)).toMatch(/TypeError.*\.ts:\d+/)
      await expect(mount.placard.publish({ text: 'abc', type: 'post', slug: '/' })).rejects.toThrow(
        TypeError,
      )
      expect(await store.publish(draft(), NOW)).toMatchObject({ text: 'Stored text' })
      await mount.close()
    })

    it('contract R6: what the database refuses is 503, and a problem to the host that calls', async () => {
      const store = await (await kind.place()).open()
      const mount = makePlacard(store)
      await store.close()
      expect((await publish(mount)).status).toBe(503)
      expect((await mount.fetch('/api/events')).status).toBe(503)
      const unavailable = { name: 'Problem', code: 'unavailable', status: 503 }
      const { placard } = mount
      await expect(placard.publish({ text: 'abc', type: 'post', slug: '/' })).rejects.toMatchObject(
        unavailable,
      )
      await expect(placard.withdraw({ type: 'post' })).rejects.toMatchObject(unavailable)
      await expect(placard.current()).rejects.toMatchObject(unavailable)
      await expect(placard.snapshot()).rejects.toMatchObject(unavailable)
    })

    it('contract R6: a closed store rejects as one that is unavailable', async () => {
      const store = await (await kind.place()).open()
      await store.ping()
      await store.close()
      await expect(store.list()).rejects.toThrow(StoreUnavailable)
      await expect(store.publish(draft(), NOW)).rejects.toThrow(StoreUnavailable)
    })
  })
}
