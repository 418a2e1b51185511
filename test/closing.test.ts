import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../src/store/sqlite.ts'
import { type DirectMount, DRAFT, makePlacard, publish } from './harness.ts'
import { STORES } from './stores.ts'
import { follow } from './suites/stream.ts'

it("contract A12: creating a service leaves no timer if its store can't be watched", async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const store = sqliteStore(':memory:')
  const watch = () => {
    throw new Error('no word of changes here')
  }
  expect(() => makePlacard({ ...store, watch })).toThrow('no word')
  await store.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

for (const kind of STORES) {
  describe(`closing a service on ${kind.name}`, () => {
    let mount: DirectMount
    beforeEach(async () => {
      const place = await kind.place()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
      mount = makePlacard(await place.open())
      // The announcement has an end, so the service has a timer.
      const expiresAt = String(mount.clock.now() + 60_000)
      expect((await publish(mount, { ...DRAFT, expiresAt })).status).toBe(201)
      expect(vi.getTimerCount()).toBeGreaterThan(0)
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    /** Lets time pass until the work is over, and then until only repeating timers are left. */
    async function timersAfter(...work: Promise<unknown>[]): Promise<number> {
      let over = false
      Promise.allSettled(work).then(() => {
        over = true
      })
      while (!over) {
        await vi.advanceTimersByTimeAsync(5)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await vi.advanceTimersByTimeAsync(60_000)
      return vi.getTimerCount()
    }

    it('contract A12: leaves no timer, even with open streams, and does nothing the second time', async () => {
      await Promise.all([follow(mount), follow(mount)])
      mount.placard.subscribe(() => {})
      expect(await timersAfter(mount.close())).toBe(0)
      expect(await timersAfter(mount.close())).toBe(0)
    })

    it('contract A12: leaves no timer for later calls', async () => {
      await mount.close()
      mount.placard.subscribe(() => {})
      expect(() =>
        mount.placard.streams.open({ write() {}, waiting: () => 0, close() {} }),
      ).toThrow('The service is stopping')
      const late = [mount.placard.current(), publish(mount), follow(mount)]
      expect(await timersAfter(...late)).toBe(0)
    })

    it('contract A12: leaves no timer for calls that it interrupts', async () => {
      const busy = [publish(mount), mount.placard.current(), follow(mount), mount.close()]
      expect(await timersAfter(...busy)).toBe(0)
    })
  })
}
