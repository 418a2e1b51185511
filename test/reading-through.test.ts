import { expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import type { Store, WatchListener } from '../src/store/store.ts'
import { current, DRAFT, makePlacard, publish } from './harness.ts'
import { onEachStore } from './suites/mount.ts'

/** A real store whose connection can be cut, and that can be kept from hearing changes. */
function severable(store: Store) {
  let listener: WatchListener | undefined
  let cut = false
  let deaf = false
  const guarded =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (cut) throw new StoreUnavailable(new Error('cut'))
      return work(...args)
    }
  const severed: Store = {
    ...store,
    load: guarded(store.load),
    publish: guarded(store.publish),
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
    hear(yes: boolean) {
      deaf = !yes
      listener?.hearing(yes)
    },
    cut: (yes: boolean) => {
      cut = yes
    },
  }
}

onEachStore('reading through', (stage) => {
  it('contract R3: a write on one node is seen on another within 1 s', async () => {
    const [one, two] = [stage, makePlacard(await stage.place.open())]
    expect(await current(two)).toBeNull()
    for (let round = 0; round < 3; round++) {
      const text = `round ${round}`
      await publish(one, { ...DRAFT, text })
      const seen = async () => expect(await current(two)).toMatchObject({ text })
      await vi.waitFor(seen, { timeout: 1_000, interval: 10 })
    }
    await two.close()
  })

  it('contract R3: without a database the last known answer goes on, marked, its end obeyed', async () => {
    const { store, hear, cut } = severable(await stage.place.open())
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
})
