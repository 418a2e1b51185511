import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { CouponNotification, Offers, OfferTurn, Store } from '../../src/store/store.ts'
import { asCode, STORES, temporaryDirectory } from '../stores.ts'
import { makeStage } from './stage.ts'

const NOW = Date.UTC(2027, 0, 1)
const LEASE_MS = 10_000
const OFFER = {
  text: 'The first five',
  type: 'coupon',
  slug: '#coupon',
  icon: null,
  expiresAt: null,
  translations: null,
} as const

for (const kind of STORES) {
  describe(`turns to ask, ${kind.name}`, () => {
    let stores: Store[]
    let clock = NOW
    beforeEach(async () => {
      clock = NOW
      const place = await kind.place()
      stores = [await place.open(), await place.open()]
      for (const store of stores) await store.load()
    })
    afterEach(() => Promise.all(stores.map((store) => store.close())))

    const offers = (node = 0) => stores[node]?.offers as Offers
    const turnOf = async (node = 0, leaseMs = LEASE_MS) => {
      const turn = await offers(node).takeTurn(leaseMs, clock)
      return 'waitMs' in turn ? undefined : turn
    }
    const end = (turn: OfferTurn | undefined, parts = {}, node = 0) =>
      offers(node).endTurn({ token: turn?.token ?? 0, nextMs: 60_000, quietMs: 0, ...parts }, clock)
    const putUp = (coupon = 'FIVE', expiresAt: number | null = null) =>
      stores[0]?.applyNotification(
        {
          id: crypto.randomUUID(),
          type: 'coupon.created',
          created: Math.floor(clock / 1000),
          coupon,
          limit: { max: 5, redeemed: 1 },
          effect: { kind: 'publish', draft: { ...OFFER, expiresAt } },
        },
        clock,
      )

    it('contract T3: of all that come at once, one gets the turn', async () => {
      const takers = Array.from({ length: 20 }, (_, index) => turnOf(index % 2))
      const turns = (await Promise.all(takers)).filter((turn) => turn !== undefined)
      expect(turns).toHaveLength(1)
      expect(await offers(1).takeTurn(LEASE_MS, clock)).toEqual({
        waitMs: expect.toSatisfy((ms: number) => ms > LEASE_MS - 5_000 && ms <= LEASE_MS),
      })
    })

    it('contract T3: after a turn the next one comes when it is due, and at once when it rings', async () => {
      await end(await turnOf())
      expect(await turnOf(1)).toBeUndefined()
      await offers(1).ring()
      const turn = await turnOf(0)
      await offers(1).ring()
      await end(turn)
      expect(await turnOf(1)).toBeDefined()
    })

    it('contract T3: a turn is hastened that nobody has, and none that somebody may have', async () => {
      const turn = await turnOf()
      await offers(1).hasten(LEASE_MS + 5_000, clock)
      expect(await turnOf(1)).toBeUndefined()
      await end(turn)
      await offers(1).hasten(LEASE_MS + 5_000, clock)
      expect(await turnOf(1)).toBeDefined()
    })

    it('contract T3: a node that freezes in its turn holds the others up for its lease alone', async () => {
      const frozen = await turnOf(0, 50)
      clock += 51
      const other = await vi.waitFor(async () => {
        const turn = await turnOf(1)
        expect(turn).toBeDefined()
        return turn
      })
      await end(frozen)
      expect(await turnOf(1)).toBeUndefined()
      expect(other?.token).not.toBe(frozen?.token)
    })

    it('contract T3: a turn that goes on is nobody else’s, rung or not, and one that was lost does not come back', async () => {
      const turn = await turnOf()
      clock += LEASE_MS - 1
      const token = turn?.token ?? 0
      const renewed = await offers().renewTurn(token, LEASE_MS, clock)
      expect(renewed).toEqual({ token: expect.any(Number), rang: false })
      clock += LEASE_MS - 1
      expect(await turnOf(1)).toBeUndefined()
      await offers(1).ring()
      const rung = await offers().renewTurn(renewed?.token ?? 0, LEASE_MS, clock)
      expect(rung).toMatchObject({ rang: true })
      expect(await turnOf(1)).toBeUndefined()
      await offers(1).ring()
      clock += 1
      expect(await turnOf(1)).toBeDefined()
      expect(await offers().renewTurn(rung?.token ?? 0, LEASE_MS, clock)).toBeNull()
    })

    it('contract T3: knows what stands, its limit, and since when there is no answer', async () => {
      await putUp()
      const first = await turnOf()
      expect(first).toMatchObject({
        standing: { coupon: 'FIVE', text: OFFER.text },
        suspended: null,
        limit: { max: 5, redeemed: 1 },
        seen: false,
        answeredAt: NOW,
        failures: 0,
      })
      clock += 1_000
      await end(first, {
        nextMs: 0,
        answer: { coupon: 'FIVE', limit: { max: 5, redeemed: 3 }, seen: true },
      })
      const second = await turnOf(1)
      expect(second).toMatchObject({
        limit: { max: 5, redeemed: 3 },
        seen: true,
        answeredAt: NOW + 1_000,
      })
      clock += 1_000
      await end(second, { nextMs: 0, failed: true }, 1)
      expect(await turnOf()).toMatchObject({ failures: 1, answeredAt: NOW + 1_000 })
      await putUp('OTHER')
      expect(await turnOf(1)).toMatchObject({ failures: 0, seen: false, answeredAt: clock })
    })

    it('contract T3: an answer about what stood says nothing about what was put up meanwhile', async () => {
      await putUp('FIVE')
      const turn = await turnOf()
      clock += 1_000
      await putUp('OTHER')
      clock += 1_000
      await end(turn, { answer: { coupon: 'FIVE', limit: null, seen: true } })
      expect(await turnOf(1)).toMatchObject({
        standing: { coupon: 'OTHER' },
        limit: { max: 5, redeemed: 1 },
        seen: false,
        answeredAt: NOW + 1_000,
      })
    })

    it('contract T3, R8: what is suspended comes back as it was, with rows of the history', async () => {
      await putUp()
      const before = (await stores[0]?.load())?.events[0]
      const id = before?.id ?? ''
      expect(await offers().takeDown('another', 'Stripe: no answer', null, clock)).toBe(false)
      expect(await offers().takeDown(id, 'Stripe: no answer', null, clock)).toBe(true)
      expect((await stores[1]?.load())?.events).toEqual([])
      const turn = await turnOf(1)
      expect(turn).toMatchObject({ standing: null, suspended: before, limit: { max: 5 } })
      clock += 60_000
      expect(await offers(1).bringBack('another', clock)).toBe(false)
      expect(await offers(1).bringBack(id, clock)).toBe(true)
      expect((await stores[0]?.load())?.events).toEqual([before])
      expect(await offers(1).bringBack(id, clock)).toBe(false)
      expect(await stores[0]?.history(2, null)).toMatchObject([
        { action: 'published', by: { via: 'stripe' }, after: before, at: clock },
        { action: 'withdrawn', by: { via: 'stripe' }, before, reason: 'Stripe: no answer' },
      ])
    })

    it('contract T3: what is suspended is forgotten once its slot has changed, or it has ended', async () => {
      const suspend = async (expiresAt: number | null = null) => {
        await putUp('FIVE', expiresAt)
        const id = (await stores[0]?.load())?.events[0]?.id ?? ''
        await offers().takeDown(id, 'Stripe: no answer', null, clock)
        return id
      }
      const one = await suspend()
      await stores[1]?.publish({ ...OFFER, text: 'By hand' }, asCode(clock))
      await stores[1]?.withdraw({ type: 'coupon' }, asCode(clock))
      expect(await offers().bringBack(one, clock)).toBe(false)
      const two = await suspend()
      await stores[1]?.withdraw({ type: 'coupon' }, asCode(clock))
      expect(await offers().bringBack(two, clock)).toBe(false)
      const three = await suspend(clock + 60_000)
      clock += 60_000
      expect(await offers().bringBack(three, clock)).toBe(false)
      const four = await suspend()
      await stores[1]?.publish({ ...OFFER, type: 'post' }, asCode(clock))
      expect(await offers().bringBack(four, clock)).toBe(true)
    })

    it('contract W6, R9: what an answer has said is no notification: it has no part in their order', async () => {
      const apply = (id: string, coupon: string, created: number) =>
        stores[0]?.applyNotification(
          {
            id,
            type: 'coupon.created',
            created,
            coupon,
            effect: { kind: 'publish', draft: OFFER },
          },
          clock,
        )
      const second = Math.floor(clock / 1000)
      await apply('evt_1', 'FIVE', second)
      const id = (await stores[0]?.load())?.events[0]?.id ?? ''
      clock += 60_000
      await offers().takeDown(id, 'Stripe: sold out', 'coupon_used_up', clock)
      expect(await offers(1).lastRefusal('FIVE')).toBe('coupon_used_up')
      // Created before the answer, and after the last notification.
      clock += 1_000
      expect(await apply('evt_2', 'OTHER', second + 30)).toEqual({ outcome: 'published' })
      expect(await apply('evt_3', 'FIVE', second + 30)).toEqual({ outcome: 'published' })
      expect(await offers(1).lastRefusal('FIVE')).toBeNull()
    })

    it('contract T4: knows which notifications the ledger has, and how far they are caught up with', async () => {
      const id = 'evt_1'
      const type = 'coupon.created'
      await stores[0]?.applyNotification(
        { id, type, created: 1, coupon: 'C', effect: { kind: 'none', reason: 'not_featured' } },
        clock,
      )
      const others = [
        { id: 'evt_2', type },
        { id, type: 'coupon.deleted' },
      ]
      expect(await offers(1).unseen([{ id, type }, ...others])).toEqual(others)
      const caughtUp = { mark: 'a key', since: 1, to: 2, event: 'evt_2' }
      expect(await turnOf()).toMatchObject({ caughtUp: null, listedAt: 0 })
      await offers().saveCaughtUp(caughtUp, clock)
      await offers().ring()
      expect(await turnOf(1)).toMatchObject({ caughtUp, listedAt: clock })
    })

    it('contract T4: knows the last notification that was delivered, and none that was caught up with or made up', async () => {
      const apply = (id: string, parts: Partial<CouponNotification>) =>
        stores[0]?.applyNotification(
          {
            id,
            type: 'coupon.created',
            created: 1_800_000_000,
            coupon: 'C',
            effect: { kind: 'none', reason: 'not_featured' },
            ...parts,
          },
          clock,
        )
      expect(await offers(1).heard()).toBeNull()
      await apply('evt_1', {})
      expect(await offers(1).heard()).toBeNull()
      const since = 1_800_000_000_000
      for (const live of [true, false, null]) {
        await apply('evt_2', { delivered: { live } })
        expect(await offers(1).heard()).toEqual({ event: 'evt_2', since, live })
      }
      // A repeat counts: it was caught up with before it came.
      await apply('evt_1', { delivered: { live: true } })
      expect(await offers(1).heard()).toEqual({ event: 'evt_1', since, live: true })
    })

    it('contract T3: each node knows for how long Stripe wants no questions, whatever was put up meanwhile', async () => {
      await putUp()
      await end(await turnOf(), { failed: true, nextMs: 1_000, quietMs: 120_000 })
      await putUp('OTHER')
      const quietMs = await offers(1).quietMs(clock)
      expect(quietMs).toBeGreaterThan(110_000)
      expect(quietMs).toBeLessThanOrEqual(120_000)
    })
  })
}

it('contract T3: of two nodes, one asks', async () => {
  const path = join(temporaryDirectory(), 'placard.db')
  const stage = await makeStage(() => sqliteStore(path))
  const { stripe, clock, tell, up } = stage
  const mounts = [await stage.start(), await stage.start()]
  await tell(
    mounts[0] as (typeof mounts)[0],
    stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }),
  )
  // A node hears of a change within a second, whatever the clock of the stage says.
  await vi.waitFor(async () => expect(await up(mounts[1] as (typeof mounts)[0])).toBe('Limited'))
  const questions = () => stripe.asked.filter(({ path }) => path === '/v1/coupons/C').length
  await clock.pass(5_000)
  const asked = questions()
  await clock.pass(10 * 30_000)
  expect(questions() - asked).toBe(10)
  await mounts[0]?.close()
  await clock.pass(10 * 30_000)
  expect(questions() - asked).toBe(20)
  expect(await up(mounts[1] as (typeof mounts)[0])).toBe('Limited')
  await stage.close()
})
