import { expect, it } from 'vitest'
import type { Announcement, Draft } from '../src/core/announcement.ts'
import type { CouponNotification } from '../src/core/coupon.ts'
import { StoreUnavailable } from '../src/core/problem.ts'
import type { Store, Written } from '../src/store/store.ts'
import { answerOf, makePlacard, publish } from './harness.ts'
import { asCode, eventsIn, STORED } from './stores.ts'
import { onEachStore } from './suites/mount.ts'

const draft = (parts: Partial<Draft> = {}): Draft => ({ ...STORED, ...parts })
const NOW = Date.UTC(2027, 0, 1)

async function put(store: Store, parts: Partial<Draft> = {}, now = NOW): Promise<Announcement> {
  const { announcement } = (await store.publish(draft(parts), asCode(now))) as Written<Announcement>
  return announcement
}

onEachStore('store', (stage) => {
  it('contract A12: keeps every field of an acknowledged write when it is reopened', async () => {
    const { store, place } = stage
    const text = '👩‍👩‍👧‍👦 خصم "quoted" \'and\' \\ e\u0301'
    const parts = { text, icon: 'ArrowDown01', expiresAt: 8.64e15, slug: '/x?y=\'"#z' }
    const one = await put(store, parts, NOW)
    const two = await put(store, { type: 'product' }, NOW)
    expect(one).toMatchObject(parts)
    await store.close()
    const again = await place.open()
    expect(await eventsIn(again)).toEqual([two, one])
    await again.close()
  })

  it('contract R1: returns the newest first; timestamps strictly increase across connections and clock steps', async () => {
    const [one, two] = [stage.store, await stage.place.open()]
    const first = await put(one, {}, NOW)
    const second = await put(two, { type: 'coupon' }, NOW - 1_000_000)
    expect(first.timestamp).toBe(NOW)
    expect(second.timestamp).toBeGreaterThan(NOW)
    await one.withdraw({ type: 'coupon' }, asCode(NOW))
    await one.withdraw({ type: 'post' }, asCode(NOW))
    const third = await put(one, { type: 'product' }, NOW)
    expect(third.timestamp).toBeGreaterThan(second.timestamp)
    const fourth = await put(two, {}, NOW + 5_000)
    expect(fourth.timestamp).toBe(NOW + 5_000)
    expect((await eventsIn(two)).map(({ id }) => id)).toEqual([fourth.id, third.id])
    await two.close()
  })

  it('contract W6: keeps the ledger when it is reopened', async () => {
    const up: CouponNotification = {
      ...{ id: 'evt_1', type: 'coupon.created', created: 1_800_000_000, coupon: 'A' },
      effect: { kind: 'publish', draft: draft({ type: 'coupon' }) },
    }
    const [published, stale] = [{ outcome: 'published' }, { outcome: 'ignored', reason: 'stale' }]
    expect(await stage.store.applyNotification(up, NOW)).toEqual(published)
    await stage.store.close()
    const store = await stage.place.open()
    const [kept] = await eventsIn(store)
    expect(await store.applyNotification(up, NOW)).toEqual(published)
    expect(await eventsIn(store)).toEqual([kept])
    const older = { ...up, id: 'evt_0', created: 1_799_999_999 }
    expect(await store.applyNotification(older, NOW)).toEqual(stale)
    expect(await store.applyNotification({ ...up, id: 'evt_2' }, NOW)).toEqual(published)
    expect((await eventsIn(store))[0]?.id).not.toBe(kept?.id)
    await store.close()
  })

  it('contract W6: forgets ledger entries after 60 days, except those that the order check still needs', async () => {
    const { store } = stage
    const days = (count: number) => NOW + count * 86_400_000
    const publication = { kind: 'publish', draft: draft({ type: 'coupon' }) } as const
    const say = (id: string, created: number, effect: CouponNotification['effect'], now: number) =>
      store.applyNotification({ id, type: 'coupon.updated', created, coupon: id, effect }, now)
    const stale = { outcome: 'ignored', reason: 'stale' }

    await say('one', 100, publication, days(0))
    expect(await say('one', 100, publication, days(59))).toEqual({ outcome: 'published' })
    await say('two', 200, { kind: 'withdraw' }, days(61))
    expect(await say('one', 100, publication, days(61))).toEqual(stale)
    await say('three', 300, publication, days(122))
    expect(await say('two', 200, { kind: 'withdraw' }, days(122))).toEqual(stale)
    // A retraction concerns one coupon, so it doesn't make older publications stale.
    await say('four', 400, { kind: 'retract', reason: 'not_featured' }, days(183))
    expect(await say('five', 250, publication, days(183))).toEqual(stale)
    expect(await say('three', 300, publication, days(183))).toEqual({ outcome: 'published' })
  })

  it('contract R1, A14: gives a write a later timestamp than an announcement that started before it, even if the clock has stepped back', async () => {
    const { store } = stage
    await store.schedule(draft(), NOW + 1_000, asCode(NOW))
    await store.recordTransitions(NOW + 1_000)
    const next = await put(store, { type: 'product' }, NOW + 500)
    expect(next.timestamp).toBe(NOW + 1_001)
  })

  it('contract R3: counts as not writable after a failed update of the shared record of requests to Stripe', async () => {
    const { store, place } = stage
    await store.load()
    await place.query('alter table placard_offer rename to elsewhere')
    await expect(store.offers.remember({ failures: 1 })).rejects.toThrow(StoreUnavailable)
    expect(store.writable()).toBe(false)
    await place.query('alter table elsewhere rename to placard_offer')
    await store.recordTransitions(NOW)
    expect(store.writable()).toBe(true)
  })

  it('contract R6: reports a bug of ours as 500 with its stack in the log, not as "unavailable"', async () => {
    const { store } = stage
    // Drivers reject such a value. That is a bug of the caller, not an error of the database.
    const slip = (text: string) => draft({ text: { text, size: 1n } as unknown as string })
    await expect(store.publish(slip('direct'), asCode(NOW))).rejects.toThrow(TypeError)
    const mount = makePlacard({
      ...store,
      publish: ({ text }, context) => store.publish(slip(text), context),
    })
    expect(await answerOf(publish(mount))).toEqual({ status: 500, error: 'Internal error' })
    expect(JSON.stringify(mount.log.lines)).toMatch(/TypeError.*\.ts:\d+/)
    await expect(mount.placard.publish({ text: 'abc', type: 'post', slug: '/' })).rejects.toThrow(
      TypeError,
    )
    expect(await put(store)).toMatchObject(STORED)
  })

  it("contract R6: responds to a database error with 503, and rejects the host's own calls with a Problem", async () => {
    await stage.store.close()
    expect((await publish(stage)).status).toBe(503)
    expect((await stage.fetch('/api/events')).status).toBe(503)
    const unavailable = { name: 'Problem', code: 'unavailable', status: 503 }
    const { placard } = stage
    for (const call of [
      () => placard.publish({ text: 'abc', type: 'post', slug: '/' }),
      () => placard.withdraw({ type: 'post' }),
      () => placard.current(),
      async () => placard.snapshot(),
    ]) {
      await expect(call()).rejects.toMatchObject(unavailable)
    }
  })
})
