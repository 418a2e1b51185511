import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Announcement } from '../src/announcement.ts'
import type { CouponNotification, Store } from '../src/store/store.ts'
import { current, makePlacard, manualClock } from './harness.ts'
import { RELEASED, type ReleasedStore, type SharedPlace } from './released.ts'
import { asCode } from './stores.ts'

const NOW = Date.UTC(2027, 0, 1)
const SOON = NOW + 1_000
/** What version 0.1.0 takes; today's knows translations too. */
const OLD = {
  text: 'By version 0.1.0',
  type: 'post',
  slug: '/',
  icon: null,
  expiresAt: null,
} as const
const NEW = {
  ...OLD,
  text: 'By today’s',
  expiresAt: NOW + 60_000,
  translations: { de: 'Von heute' },
}
const PRODUCT = { ...NEW, type: 'product' } as const

for (const kind of RELEASED) {
  describe(`a node of version 0.1.0 and one of today, ${kind.name}`, () => {
    let place: SharedPlace
    let old: ReleasedStore
    let store: Store
    beforeEach(async () => {
      place = await kind.empty()
      // It has been at work, so its connections and statements are older than today's tables.
      old = place.released()
      await old.publish(OLD, NOW - 1)
      await old.withdraw({ type: 'post' }, NOW - 1)
      store = place.today()
      await store.load()
    })
    afterEach(async () => {
      await old.close()
      await store.close()
    })

    const history = () => store.history(20, null)
    const slots = async () => (await store.load()).events

    it('contract A9, A15: what replaces has neither the translations nor the end of what it replaced', async () => {
      await store.publish(NEW, asCode(NOW))
      const { id, timestamp } = await old.publish(OLD, NOW + 1)
      const by = { via: 'api' }
      const now = { ...OLD, id, timestamp, translations: null, coupon: null, by }
      expect(await slots()).toEqual([now])
      const again = await store.publish(NEW, asCode(NOW + 2))
      expect(await slots()).toEqual([again])
      expect(await history()).toMatchObject([
        { action: 'replaced', before: now, after: NEW },
        { action: 'published', before: null, after: NEW },
      ])
    })

    it('contract T3: what Stripe’s silence took down does not come back over what version 0.1.0 put up', async () => {
      const limited = {
        id: 'evt_1',
        type: 'coupon.created',
        created: NOW / 1000,
        coupon: 'FIVE',
        limit: { max: 5, redeemed: 1 },
        effect: { kind: 'publish', draft: { ...NEW, type: 'coupon', expiresAt: null } },
      } as const
      await store.applyNotification(limited, NOW)
      const [{ id = '' } = {}] = await slots()
      await store.offers?.takeDown(id, 'Stripe: no answer', null, NOW)
      await old.publish({ ...OLD, type: 'coupon' }, NOW + 1)
      expect(await store.offers?.bringBack(id, NOW + 2)).toBe(false)
      expect(await slots()).toMatchObject([{ text: OLD.text }])
    })

    it('contract R3: each hears what the other writes', async () => {
      const heard = vi.fn()
      old.watch?.({ changed: heard, hearing: () => {} })
      const mount = makePlacard(place.today(), {}, manualClock(NOW))
      expect(await current(mount)).toBeNull()
      await old.publish(OLD, NOW)
      await vi.waitFor(async () => expect(await current(mount)).toMatchObject({ text: OLD.text }))
      heard.mockClear()
      await mount.placard.publish({ text: 'By today’s', type: 'post', slug: '/' })
      await vi.waitFor(() => expect(heard).toHaveBeenCalled())
      expect(await old.list()).toMatchObject([{ text: 'By today’s' }])
      await mount.close()
    })

    it('contract R1, W6: they share the order of timestamps and the ledger', async () => {
      const notification: CouponNotification = {
        id: 'evt_1',
        type: 'coupon.created',
        created: 1,
        coupon: 'FRIDAY',
        effect: { kind: 'publish', draft: { ...NEW, type: 'coupon' } },
      }
      const notice = notification as Parameters<ReleasedStore['applyNotice']>[0]
      await old.applyNotice(notice, NOW)
      expect(await slots()).toMatchObject([{ coupon: 'FRIDAY', by: { via: 'stripe' } }])
      expect(await store.applyNotification(notification, NOW)).toEqual({ outcome: 'published' })
      await store.applyNotification({ ...notification, id: 'evt_2', created: 2 }, NOW)
      const between = await old.applyNotice({ ...notice, id: 'evt_2' }, NOW)
      expect(between).toEqual({ outcome: 'published' })
      await old.publish(OLD, NOW)
      expect((await slots()).map(({ timestamp, coupon }) => [timestamp - NOW, coupon])).toEqual([
        // The repeats took a timestamp of version 0.1.0, and none of today's.
        [3, null],
        [1, 'FRIDAY'],
      ])
    })

    it('contract R1, R8: two processes that write at once lose nothing and share no timestamp', async () => {
      const writes = 40
      const inProcess = promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--eval',
        `${place.openReleased}
         const given = []
         for (let count = 0; count < ${writes}; count++) {
           given.push((await store.publish(${JSON.stringify(OLD)}, ${NOW})).timestamp)
         }
         console.log(JSON.stringify(given))
         await store.close()`,
      ])
      let running = true
      const ended = inProcess.finally(() => {
        running = false
      })
      const mine: number[] = []
      while (running) {
        mine.push(((await store.publish(NEW, asCode(NOW))) as Announcement).timestamp)
      }
      const all: number[] = [...mine, ...JSON.parse((await ended).stdout)]
      expect(all.toSorted((a, b) => a - b)).toEqual(all.map((_, index) => NOW + index))
      const entries = await store.history(mine.length + 1, null)
      expect(entries.map(({ after }) => after).toReversed()).toMatchObject(
        mine.map((timestamp) => ({ timestamp })),
      )
    })

    // On SQLite each process counts for itself.
    if (kind.name === 'Postgres') {
      it('contract A1: they count requests together', async () => {
        const limiters = [old.limiter?.(10, 10_000), store.limiter?.(10, 10_000)]
        for (let count = 0; count < 10; count++) {
          const decision = await limiters[count % 2]?.count('10.0.0.1')
          expect(decision).toMatchObject({ admitted: true })
        }
        for (const limiter of limiters) {
          expect(await limiter?.count('10.0.0.1')).toMatchObject({ admitted: false })
        }
      })
    }

    describe('what starts while version 0.1.0 writes', () => {
      beforeEach(async () => {
        await store.schedule({ ...NEW, text: 'Scheduled' }, SOON, asCode(NOW))
      })
      const started = { action: 'started', at: SOON, after: { text: 'Scheduled', timestamp: SOON } }

      it('contract A14: takes the slot from what was put up before its instant', async () => {
        const { id } = await old.publish(OLD, SOON - 1)
        await store.recordTransitions(SOON)
        expect(await slots()).toMatchObject([{ text: 'Scheduled', translations: NEW.translations }])
        expect(await history()).toMatchObject([{ ...started, before: { id } }, {}])
      })

      it('contract A14: is replaced by what was put up after its instant, noticed before or after', async () => {
        await store.recordTransitions(SOON)
        await old.publish(OLD, SOON + 1)
        await store.schedule({ ...NEW, text: 'Scheduled' }, SOON + 10, asCode(SOON + 2))
        const { id } = await old.publish(OLD, SOON + 11)
        await store.recordTransitions(SOON + 12)
        const { events, scheduled } = await store.load()
        expect(events).toMatchObject([{ id, translations: null, expiresAt: null }])
        expect(scheduled).toEqual([])
        expect((await history()).map(({ action }) => action)).toEqual([
          'started',
          'scheduled',
          'started',
          'scheduled',
        ])
        const undone = await store.undo(null, asCode(SOON + 13))
        expect(undone).toEqual({ refused: 'changed_since' })
      })

      it('contract A14: does not show over what was put up in another slot after its instant', async () => {
        const { id, timestamp } = await old.publish({ ...OLD, type: 'coupon' }, SOON + 1)
        const mount = makePlacard(place.today(), {}, manualClock(SOON + 2))
        expect(await current(mount)).toMatchObject({ id })
        await store.recordTransitions(SOON + 3)
        expect(await current(mount)).toMatchObject({ id })
        expect(await history()).toMatchObject([{ ...started, before: null }, {}])
        const next = await store.publish(PRODUCT, asCode(SOON))
        expect(next).toMatchObject({ timestamp: timestamp + 1 })
        await mount.close()
      })

      it('contract A13: stays scheduled when version 0.1.0 deletes by type', async () => {
        await old.publish(OLD, NOW)
        expect(await old.withdraw({ type: 'post' }, NOW)).toBe(1)
        expect((await store.load()).scheduled).toHaveLength(1)
      })
    })

    describe('what version 0.1.0 takes down', () => {
      it('contract R9: is not undone by today’s, whose history has only its own changes', async () => {
        await store.publish(NEW, asCode(NOW))
        expect(await old.withdraw({ type: 'post' }, NOW + 1)).toBe(1)
        expect(await slots()).toEqual([])
        expect(await store.undo(null, asCode(NOW + 2))).toEqual({ refused: 'changed_since' })
        const none = await store.withdraw({ type: 'post' }, asCode(NOW + 2))
        expect(none).toMatchObject({ deleted: 0 })
        expect(await history()).toMatchObject([{ action: 'published' }])
      })

      it('contract R9: what it put into the slot since is not replaced by an undo either', async () => {
        await store.publish(NEW, asCode(NOW))
        await store.withdraw({ type: 'post' }, asCode(NOW))
        const { id } = await old.publish(OLD, NOW + 1)
        expect(await store.undo(null, asCode(NOW + 2))).toEqual({ refused: 'changed_since' })
        expect(await slots()).toMatchObject([{ id }])
      })
    })
  })
}
