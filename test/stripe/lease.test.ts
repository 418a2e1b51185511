import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft } from '../../src/core/announcement.ts'
import type { CouponNotification } from '../../src/core/coupon.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Offers, Store } from '../../src/store/store.ts'
import { lastDelivered } from '../../src/stripe/catch-up.ts'
import { createLeases, type Lease } from '../../src/stripe/lease.ts'
import { soon } from '../soon.ts'
import { asCode, STORED, STORES } from '../stores.ts'
import { FEATURED } from './fake.ts'
import { MINUTE, stageForEach } from './stage.ts'

const LEASE_MS = 10_000
const KEY = 'a mark'
const OFFER: Draft = { ...STORED, text: 'The first five', type: 'coupon', slug: '#coupon' }
const trigger = (offers: Offers) => offers.remember({ due_at: 0 }, { failures: 0 })
const near = (ms: number) => expect.toSatisfy((it: number) => Math.abs(it - ms) < 5_000)

for (const kind of STORES) {
  describe(`the lease on requests to Stripe, ${kind.name}`, () => {
    let stores: Store[]
    /** The node's clock is ten minutes off, which doesn't matter if the database has a clock of its own. */
    let now = 0
    const clock = { now: () => now, monotonic: () => now }
    beforeEach(async () => {
      now = Date.now() + 10 * MINUTE
      const place = await kind.place()
      stores = [await place.open(), await place.open()]
      for (const store of stores) await store.load()
    })
    afterEach(() => Promise.all(stores.map((store) => store.close())))

    const offers = (node = 0) => stores[node]?.offers as Offers
    const leases = (node = 0) => createLeases(offers(node), clock)
    const recall = () => offers().recall(now)
    const acquire = async (node = 0, { key = KEY, early = false } = {}) => {
      const lease = await leases(node).acquire(key, early)
      return 'waitMs' in lease ? undefined : lease
    }
    const release = (lease: Lease | undefined, failures = 0, nextMs = MINUTE / 2) =>
      lease?.release(nextMs, failures)
    const idOf = async () => (await stores[0]?.load())?.published[0]?.id ?? ''
    const putUp = async (parts: Partial<CouponNotification> = {}) => {
      const id = crypto.randomUUID()
      const about = { id, type: 'coupon.created', created: null, coupon: 'FIVE', limited: true }
      const effect = { kind: 'publish', draft: OFFER } as const
      await stores[0]?.applyNotification({ ...about, effect, ...parts }, now)
      return idOf()
    }

    it('contract T3: goes to only one of 20 simultaneous callers', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, (_, index) => acquire(index % 2)))
      expect(all.filter((lease) => lease !== undefined)).toHaveLength(1)
      expect(await leases(1).acquire(KEY, true)).toEqual({ waitMs: near(LEASE_MS) })
    })

    it('contract T3: can be acquired when due, immediately after a trigger, and early by a node that may have missed notifications', async () => {
      await release(await acquire())
      expect(await acquire(1)).toBeUndefined()
      await release(await acquire(1, { early: true }))
      await trigger(offers(1))
      const lease = await acquire()
      await trigger(offers(1))
      expect(await release(lease)).toBe(0)
      expect(await acquire(1)).toBeDefined()
    })

    it("contract T3: while Stripe doesn't answer, neither a trigger nor a node's start shortens the wait", async () => {
      await putUp()
      await release(await acquire(), 1)
      expect(await trigger(offers(1))).toBe(false)
      expect(await acquire(1, { early: true })).toBeUndefined()
      await putUp()
      const lease = await acquire(1)
      expect(lease?.memory).toMatchObject({ failures: 1 })
      await release(lease)
      expect(await trigger(offers(1))).toBe(true)
    })

    it('contract T3: can be renewed after a trigger, but not once another node has taken it over', async () => {
      const lease = await acquire()
      expect(await lease?.leftMs()).toBe(0)
      await trigger(offers(1))
      expect(await lease?.leftMs()).toBe(0)
      expect(await acquire(1)).toBeUndefined()
      await trigger(offers(1))
      now += 1
      const other = await acquire(1)
      expect(other).toBeDefined()
      await expect(lease?.leftMs()).rejects.toThrow()
      // A node that wakes late can't release the other node's lease.
      await release(lease)
      expect(await acquire()).toBeUndefined()
      // The other node still has the lease.
      expect(await other?.leftMs()).toBe(0)
      expect(await release(other)).toBe(MINUTE / 2)
    })

    it('contract T3: tells its node whether the published coupon has a limit, and when Stripe last answered', async () => {
      const id = await putUp({ happenedAt: now - MINUTE })
      expect(await offers(1).publishedOffer()).toMatchObject({
        id,
        coupon: 'FIVE',
        text: OFFER.text,
      })
      const { memory } = (await acquire()) as Lease
      const known = { limited: 1, seen: 0, paused: null, failures: 0, since: null }
      expect(memory).toMatchObject(known)
      expect(memory.time - memory.asked_at).toEqual(near(MINUTE))
      const { asked_at } = memory
      await offers().remember({ limited: 0, seen: 1, asked_at: asked_at + 1 }, { asked_at }, id)
      // The answer to an older request arrives later.
      await offers().remember({ limited: 1, seen: 0 }, { asked_at }, id)
      await trigger(offers())
      expect((await acquire(1))?.memory).toMatchObject({ limited: 0, seen: 1 })
      await trigger(offers())
      expect((await acquire(1, { key: 'another key' }))?.memory).toMatchObject({ seen: 0 })
    })

    it('contract T3, R9: an answer counts only for its own offer, and an offer restored by an undo counts as limited', async () => {
      const id = await putUp()
      await offers().remember({ limited: 0, seen: 1 }, {}, id)
      await putUp({ coupon: 'OTHER', limited: false })
      await stores[0]?.undo(null, asCode(now))
      const { memory } = (await acquire()) as Lease
      expect(memory).toMatchObject({ limited: 1, seen: 0 })
      expect(memory.time - memory.asked_at).toEqual(near(0))
      await putUp({ coupon: 'OTHER' })
      expect(await offers().remember({ limited: 0, seen: 1 }, {}, id)).toBe(false)
      expect((await acquire())?.memory).toMatchObject({ limited: 1, seen: 0 })
    })

    it('contract T3, R8: an offer that Stripe has stopped confirming is paused, and resumes unchanged', async () => {
      const id = await putUp({ happenedAt: now - 5 * MINUTE - 1_000 })
      const { asked_at } = await recall()
      const pause = (one = id, askedAt = asked_at) => offers().pause(one, 'no_answer', askedAt, now)
      const before = await stores[0]?.load()
      expect(await pause('another')).toBe(false)
      expect(await pause(id, asked_at - 1)).toBe(false)
      expect(await offers(1).resume(now)).toBe(false)
      expect(await pause()).toBe(true)
      expect(await pause()).toBe(false)
      expect((await stores[1]?.load())?.paused).toEqual({ id, since: asked_at })
      expect((await acquire())?.memory).toMatchObject({ paused: id })
      expect(await offers(1).resume(now)).toBe(true)
      expect(await stores[1]?.load()).toEqual(before)
      expect(await stores[0]?.history(2, null)).toMatchObject([
        { action: 'resumed', by: { via: 'stripe', coupon: 'FIVE' }, before: { id } },
        { action: 'paused', before: { id }, after: { id }, reason: 'no_answer' },
      ])
    })

    it('contract T3: a pause ends when its offer is replaced or withdrawn, but not when it is edited', async () => {
      const paused = async () => {
        const id = await putUp({ happenedAt: now - 6 * MINUTE })
        await offers().pause(id, 'no_answer', (await recall()).asked_at, now)
        return id
      }
      const isPaused = async () => (await stores[0]?.load())?.paused != null
      const id = await paused()
      await stores[1]?.edit(id, { ...OFFER, text: 'In other words' }, null, asCode(now))
      expect(await isPaused()).toBe(true)
      await stores[1]?.publish({ ...OFFER, text: 'By hand' }, asCode(now))
      expect(await isPaused()).toBe(false)
      await paused()
      await stores[1]?.withdraw({ type: 'coupon' }, asCode(now))
      expect(await isPaused()).toBe(false)
      await stores[1]?.undo(null, asCode(now))
      expect(await isPaused()).toBe(false)
    })

    it("contract W6, R9: an answer that takes an offer down doesn't make earlier notifications stale", async () => {
      const second = Math.floor(now / 1000)
      const id = await putUp({ created: second })
      const { asked_at } = await recall()
      const takeDown = (one: string, askedAt: number) =>
        offers().takeDown(one, 'coupon_used_up', askedAt, now)
      expect(await takeDown(id, asked_at - MINUTE)).toBe(false)
      expect(await takeDown('another', asked_at)).toBe(false)
      now += 60_000
      expect(await takeDown(id, asked_at)).toBe(true)
      expect(await offers(1).lastRefusal('FIVE')).toBe('coupon_used_up')
      // Stripe created these notifications before the answer, but after the last one that was applied.
      now += 1_000
      await putUp({ coupon: 'OTHER', created: second + 30 })
      expect((await offers().publishedOffer())?.coupon).toBe('OTHER')
      await putUp({ created: second + 30 })
      expect((await offers().publishedOffer())?.coupon).toBe('FIVE')
      expect(await offers(1).lastRefusal('FIVE')).toBeNull()
    })

    it("contract T4: the store knows which notifications were applied, and how far a key's events have been listed", async () => {
      const id = 'evt_1'
      const type = 'coupon.created'
      await putUp({ id, created: 1, effect: { kind: 'none', reason: 'not_featured' } })
      const others = [
        { id: 'evt_2', type },
        { id, type: 'coupon.deleted' },
      ]
      expect(await offers(1).unseen([{ id, type }, ...others])).toEqual(others)
      const first = await acquire()
      expect(first?.memory).toMatchObject({ since: null })
      await offers().remember({ since: 7 })
      await release(first, 0, 0)
      expect((await acquire(1))?.memory).toMatchObject({ since: 7 })
      await trigger(offers())
      expect((await acquire(1, { key: 'another key' }))?.memory).toMatchObject({ since: null })
    })

    it('contract T4: `lastDelivered()` returns the last delivered notification unless it is too old, and never one that was only listed', async () => {
      const effect = { kind: 'none', reason: 'not_featured' } as const
      const second = Math.floor(now / 1000)
      const heard = async () => lastDelivered(await recall())
      await putUp({ id: 'evt_1', created: second, effect })
      expect(await heard()).toBeNull()
      await putUp({ id: 'evt_2', created: second, delivered: true, effect })
      expect(await heard()).toBe('evt_2')
      // A repeated notification counts, because a catch-up applied it before its delivery.
      await putUp({ id: 'evt_1', created: second, delivered: true, effect })
      expect(await heard()).toBe('evt_1')
      await putUp({ id: 'evt_undated', created: null, delivered: true, effect })
      expect(await heard()).toBe('evt_undated')
      await putUp({ id: 'evt_3', created: second - 30 * 86_400, delivered: true, effect })
      expect(await heard()).toBeNull()
    })

    it('contract T3: all nodes respect the longest wait that Stripe asked for, even after another publication', async () => {
      await putUp()
      const wishes = [1_000, 2 * 3_600_000, 2_000]
      await Promise.all(wishes.map((ms, node) => leases(node % 2).retryAfter.keep(ms)))
      await leases().retryAfter.keep(1_000)
      await putUp({ coupon: 'OTHER' })
      expect(await leases(1).retryAfter.leftMs()).toEqual(near(2 * 3_600_000))
      expect(await (await acquire())?.leftMs()).toEqual(near(2 * 3_600_000))
    })
  })
}

describe('the lease on requests to Stripe, as time passes', () => {
  const at = (now: number, store: Store) =>
    createLeases(store.offers, { now: () => now, monotonic: () => now })

  it('contract T3: expires after 10 s if its node dies', async () => {
    const now = Date.now()
    const store = sqliteStore(':memory:')
    expect(await at(now, store).acquire(KEY, false)).toHaveProperty('memory')
    const late = now + LEASE_MS
    expect(await at(late - 1, store).acquire(KEY, false)).toEqual({ waitMs: 1 })
    expect(await at(late, store).acquire(KEY, false)).toHaveProperty('memory')
    await store.close()
  })

  it('contract T3: a wait stored before the clock was set back is ignored, and a new one is respected', async () => {
    const now = Date.now()
    const store = sqliteStore(':memory:')
    await store.load()
    await at(now, store).retryAfter.keep(3_600_000)
    const { keep, leftMs } = at(now - 24 * 3_600_000, store).retryAfter
    expect(await leftMs()).toBe(0)
    await keep(7_000)
    expect(await leftMs()).toBe(7_000)
    await store.close()
  })
})

describe('two nodes', () => {
  const stage = stageForEach()
  const { stripe, clock } = stage
  const checks = () => stripe.asked.filter(({ path }) => path === '/v1/coupons/C').length

  it('contract T3: a trigger at one node makes the node with the lease ask Stripe again immediately', async () => {
    const before = await stage.offers({ maxRedemptions: null })
    await before.close()
    const other = sqliteStore(stage.database())
    const asked = checks()
    stripe.trouble = (path) => {
      // In the same poll, the list of events comes next.
      if (path === '/v1/coupons/C' && checks() === asked + 1)
        void other.offers.remember({ due_at: 0 })
      return undefined
    }
    await stage.start()
    await clock.pass(2_000)
    expect(checks()).toBe(asked + 2)
    await other.close()
  })

  it.each([
    ['promotion codes', { ...FEATURED, placard_code: 'FIVE' }, /coupons.C/],
    ['events', FEATURED, /coupons.C/],
    ['a missed coupon', FEATURED, /events.evt/],
  ])(
    "contract T3: a node that has lost the lease doesn't ask Stripe about %s, and logs no error",
    async (_, metadata, last) => {
      await (await stage.offers({ metadata })).close()
      const other = sqliteStore(stage.database())
      stripe.create({ id: 'D', name: 'Missed' })
      const paths: string[] = []
      stripe.trouble = (path) => {
        paths.push(path)
        if (last.test(path)) void other.offers.remember({ due_at: clock.now() + LEASE_MS / 2 })
        return undefined
      }
      await stage.start()
      await clock.pass(LEASE_MS / 4)
      expect(paths.at(-1)).toMatch(last)
      expect(stage.warnings()).toEqual([])
      await other.close()
    },
  )

  it("contract T3: an older answer doesn't overwrite the other node's newer one", async () => {
    await stage.offers()
    const other = sqliteStore(stage.database())
    const newer = { asked_at: clock.now() + MINUTE, limited: 0 }
    stripe.trouble = () => void other.offers.remember(newer)
    await clock.pass(MINUTE / 2)
    expect(await other.offers.recall(clock.now())).toMatchObject(newer)
    stripe.redeem('C', 100)
    await clock.pass(MINUTE / 2)
    expect(await stage.up()).toBe('Limited')
    await other.close()
  })

  it('contract T3: only one node asks Stripe, and the other takes over when the first closes', async () => {
    const { clock, up } = stage
    const second = await stage.start()
    const first = await stage.offers()
    // A node notices a change within a second of real time, not of the stage's clock.
    await soon(async () => expect(await up(second)).toBe('Limited'))
    const asked = checks()
    await clock.pass(10 * 30_000)
    expect(checks() - asked).toBe(10)
    await first.close()
    await clock.pass(10 * 30_000)
    expect(checks() - asked).toBe(20)
    expect(await up(second)).toBe('Limited')
  })
})
