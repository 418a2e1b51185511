import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import type { Store, WatchListener } from '../src/store/store.ts'
import { current, DRAFT, makePlacard, publish } from './harness.ts'
import { STORES } from './stores.ts'

/** A real store whose connection can be cut, and that can be kept from hearing changes. */
function severable(store: Store) {
  let listener: WatchListener | undefined
  let cut = false
  let deaf = false
  const reads = { count: 0 }
  const guarded =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (cut) throw new StoreUnavailable(new Error('cut'))
      return work(...args)
    }
  const severed: Store = {
    ...store,
    load: guarded(() => {
      reads.count++
      return store.load()
    }),
    publish: guarded(store.publish),
    withdraw: guarded(store.withdraw),
    applyNotification: guarded(store.applyNotification),
    ping: guarded(store.ping),
    watch(to) {
      listener = to
      // What the real connection says, also that it was made, doesn't reach a node that is kept from hearing.
      store.watch?.({
        ...to,
        changed: () => deaf || to.changed(),
        hearing: (yes) => deaf || to.hearing(yes),
      })
    },
  }
  return {
    store: severed,
    reads,
    hear(yes: boolean) {
      deaf = !yes
      listener?.hearing(yes)
    },
    cut: (yes: boolean) => {
      cut = yes
    },
  }
}

for (const kind of STORES) {
  describe(`reading through, ${kind.name}`, () => {
    it('contract R3: a write on one node is seen on another within 1 s', async () => {
      const place = await kind.place()
      const [one, two] = [makePlacard(await place.open()), makePlacard(await place.open())]
      expect(await current(two)).toBeNull()
      for (let round = 0; round < 3; round++) {
        const text = `round ${round}`
        await publish(one, { ...DRAFT, text })
        const seen = async () => expect(await current(two)).toMatchObject({ text })
        await vi.waitFor(seen, { timeout: 1_000, interval: 10 })
      }
      await Promise.all([one.close(), two.close()])
    })

    it('contract R3: while it hears the others, a node answers from memory', async () => {
      const place = await kind.place()
      const { store, reads } = severable(await place.open())
      const mount = makePlacard(store)
      await publish(mount)
      const readsOf = async (rounds: number) => {
        const before = reads.count
        for (let round = 0; round < rounds; round++) await current(mount)
        return reads.count - before
      }
      // It takes a moment to connect.
      await vi.waitFor(async () => expect(await readsOf(1)).toBe(0))
      expect(await readsOf(10)).toBe(0)
      await mount.close()
    })

    it('contract R3: a node that cannot hear the others reads the database for each request', async () => {
      const place = await kind.place()
      const { store, hear } = severable(await place.open())
      const [deaf, other] = [makePlacard(store), makePlacard(await place.open())]
      expect(await current(deaf)).toBeNull()
      hear(false)
      for (let round = 0; round < 5; round++) {
        const text = `round ${round}`
        await publish(other, { ...DRAFT, text })
        expect(await current(deaf)).toMatchObject({ text })
      }
      await Promise.all([deaf.close(), other.close()])
    })

    it('contract R3: without a database the last known answer goes on, marked, its end obeyed', async () => {
      const place = await kind.place()
      const { store, hear, cut } = severable(await place.open())
      const mount = makePlacard(store)
      await publish(mount)
      await publish(mount, { ...DRAFT, type: 'coupon', expiresAt: mount.now() + 1_000 })
      hear(false)
      cut(true)
      const read = async () => {
        const response = await mount.fetch('/api/events')
        expect(response.status).toBe(200)
        const { event } = await response.json()
        return [event?.type, response.headers.get('placard-stale')]
      }
      expect(await read()).toEqual(['coupon', '1'])
      mount.clock.advance(1_000)
      expect(await read()).toEqual(['post', '1'])
      expect((await mount.fetch('/readyz')).status).toBe(503)
      expect((await mount.fetch('/healthz')).status).toBe(200)
      expect((await publish(mount)).status).toBe(503)
      cut(false)
      expect(await read()).toEqual(['post', null])
      expect((await publish(mount)).status).toBe(201)
      hear(true)
      expect(await read()).toEqual(['post', null])
      await mount.close()
    })

    it('contract R3, R6: a database that never answered is 503, and says nothing of the cause', async () => {
      const place = await kind.place()
      const { store, cut } = severable(await place.open())
      cut(true)
      const mount = makePlacard(store)
      const response = await mount.fetch('/api/events')
      expect(response.status).toBe(503)
      expect(Object.keys(await response.json())).toEqual(['error'])
      cut(false)
      expect(await current(mount)).toBeNull()
      await mount.close()
    })
  })
}
