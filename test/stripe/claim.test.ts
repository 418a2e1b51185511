import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { CouponNotification, Offers, Store, Turn } from '../../src/store/store.ts'
import { asCode, STORES, temporaryDirectory } from '../stores.ts'
import { makeStage } from './stage.ts'

const CLAIM_MS = 10_000
const MINUTE = 60_000
const KEY = 'a mark'
const OFFER = {
  text: 'The first five',
  type: 'coupon',
  slug: '#coupon',
  icon: null,
  expiresAt: null,
  translations: null,
} as const

for (const kind of STORES) {
  describe(`the claim to ask, ${kind.name}`, () => {
    let stores: Store[]
    /** Where the database has a clock of its own, that of a node doesn't matter: it is ten minutes off. */
    let clock = 0
    beforeEach(async () => {
      clock = Date.now() + 10 * MINUTE
      const place = await kind.place()
      stores = [await place.open(), await place.open()]
      for (const store of stores) await store.load()
    })
    afterEach(() => Promise.all(stores.map((store) => store.close())))

    const offers = (node = 0) => stores[node]?.offers as Offers
    const claim = async (node = 0, { key = KEY, wanted = false } = {}) => {
      const turn = await offers(node).claim(key, wanted, clock)
      return 'waitMs' in turn ? undefined : turn
    }
    const end = (turn: Turn | undefined, nextMs = MINUTE / 2, failed?: boolean) =>
      offers().end(turn?.token ?? 0, nextMs, failed, clock)
    const idOf = async () => (await stores[0]?.load())?.events[0]?.id ?? ''
    const putUp = async (parts: Partial<CouponNotification> = {}) => {
      await stores[0]?.applyNotification(
        {
          id: crypto.randomUUID(),
          type: 'coupon.created',
          created: null,
          coupon: 'FIVE',
          limited: true,
          effect: { kind: 'publish', draft: OFFER },
          ...parts,
        },
        clock,
      )
      return idOf()
    }
    const near = (ms: number) => expect.toSatisfy((it: number) => Math.abs(it - ms) < 5_000)

    it('contract T3: of all that come at once, one gets the claim', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(index % 2)))
      expect(all.filter((turn) => turn !== undefined)).toHaveLength(1)
      expect(await offers(1).claim(KEY, true, clock)).toEqual({ waitMs: near(CLAIM_MS) })
    })

    it('contract T3: then the next one comes when it is due, at once after a trigger, and early for a node that has missed something', async () => {
      await end(await claim())
      expect(await claim(1)).toBeUndefined()
      await end(await claim(1, { wanted: true }))
      expect(await offers(1).trigger()).toBe(true)
      const turn = await claim()
      await offers(1).trigger()
      expect(await end(turn)).toBe(0)
      expect(await claim(1)).toBeDefined()
    })

    it('contract T3: while the last question is unanswered, neither a trigger nor a start makes the next one earlier', async () => {
      await putUp()
      await end(await claim(), MINUTE / 2, true)
      expect(await offers(1).trigger()).toBe(false)
      expect(await claim(1, { wanted: true })).toBeUndefined()
      await putUp()
      const turn = await claim(1)
      expect(turn).toMatchObject({ failures: 1 })
      // Nothing was asked, so nothing is known.
      await end(turn, 0)
      const next = await claim()
      expect(next).toMatchObject({ failures: 1 })
      await end(next, MINUTE / 2, false)
      expect(await offers(1).trigger()).toBe(true)
    })

    it('contract T3: a claim that goes on takes a trigger with it, and one that was lost does not come back', async () => {
      const turn = await claim()
      const renewed = await offers().renew(turn?.token ?? 0, clock)
      expect(renewed).toMatchObject({ triggered: false, quietMs: 0 })
      await offers(1).trigger()
      const again = await offers().renew(renewed?.token ?? 0, clock)
      expect(again).toMatchObject({ triggered: true })
      expect(await claim(1)).toBeUndefined()
      await offers(1).trigger()
      clock += 1
      const other = await claim(1)
      expect(other).toBeDefined()
      expect(await offers().renew(again?.token ?? 0, clock)).toBeNull()
      // A node that wakes late ends nothing.
      await offers().end(again?.token ?? 0, 0, undefined, clock)
      expect(await claim()).toBeUndefined()
    })

    it('contract T3: knows what stands, whether it has a limit, and since when there is no answer', async () => {
      const id = await putUp({ happenedAt: clock - MINUTE })
      const standing = { id, coupon: 'FIVE', text: OFFER.text }
      const known = { limited: true, seen: false, paused: false, failures: 0, since: null }
      expect(await claim()).toMatchObject({ standing, ...known, silentMs: near(MINUTE) })
      await offers().answer({ id, askedAt: clock - 20_000, limited: false, seen: true }, clock)
      // An older question was answered later.
      await offers().answer({ id, askedAt: clock - 30_000, limited: true, seen: false }, clock)
      await offers().trigger()
      expect(await claim(1)).toMatchObject({ limited: false, seen: true, silentMs: near(20_000) })
      await offers().trigger()
      expect(await claim(1, { key: 'another key' })).toMatchObject({ seen: false })
    })

    it('contract T3: an answer about what stood says nothing of what stands now, of which nothing is known', async () => {
      const id = await putUp()
      await offers().answer({ id, askedAt: clock, limited: false, seen: true }, clock)
      await stores[0]?.withdraw({ type: 'coupon' }, asCode(clock))
      await stores[0]?.undo(null, asCode(clock))
      expect(await claim()).toMatchObject({ limited: true, seen: false, silentMs: near(0) })
      await putUp({ coupon: 'OTHER' })
      await offers().answer({ id, askedAt: clock, limited: false, seen: true }, clock)
      await offers().trigger()
      expect(await claim()).toMatchObject({ standing: { coupon: 'OTHER' }, limited: true })
    })

    it('contract T3, R8: pauses what had no answer for so long, and shows it again as it was', async () => {
      const id = await putUp({ happenedAt: clock - 5 * MINUTE - 1_000 })
      const pause = (one = id) => offers().pause(one, 'no_answer', 5 * MINUTE, clock)
      const before = await stores[0]?.load()
      expect(await pause('another')).toBe(false)
      expect(await offers(1).resume(clock)).toBe(false)
      expect(await pause()).toBe(true)
      expect(await pause()).toBe(false)
      const since = near(clock - 5 * MINUTE)
      const here = (await stores[1]?.load())?.paused
      expect(here?.id).toBe(id)
      if (kind.name === 'SQLite') expect(here?.since).toEqual(since)
      expect(await claim()).toMatchObject({ paused: true })
      expect(await offers(1).resume(clock)).toBe(true)
      expect(await stores[1]?.load()).toEqual(before)
      await offers().answer({ id, askedAt: clock - 1_000, limited: true, seen: true }, clock)
      expect(await pause()).toBe(false)
      expect(await stores[0]?.history(2, null)).toMatchObject([
        { action: 'resumed', by: { via: 'stripe', coupon: 'FIVE' }, before: { id } },
        { action: 'paused', before: { id }, after: { id }, reason: 'no_answer' },
      ])
    })

    it('contract T3: a pause ends with what it is of; an edit is still that', async () => {
      const paused = async () => {
        const id = await putUp({ happenedAt: clock - 6 * MINUTE })
        await offers().pause(id, 'no_answer', 5 * MINUTE, clock)
        return id
      }
      const isPaused = async () => (await stores[0]?.load())?.paused != null
      const id = await paused()
      await stores[1]?.edit(id, { ...OFFER, text: 'In other words' }, null, asCode(clock))
      expect(await isPaused()).toBe(true)
      await stores[1]?.publish({ ...OFFER, text: 'By hand' }, asCode(clock))
      expect(await isPaused()).toBe(false)
      await paused()
      await stores[1]?.withdraw({ type: 'coupon' }, asCode(clock))
      expect(await isPaused()).toBe(false)
      await stores[1]?.undo(null, asCode(clock))
      expect(await isPaused()).toBe(false)
    })

    it('contract W6, R9: what an answer has said is no notification: it has no part in their order', async () => {
      const apply = (id: string, coupon: string, created: number) =>
        stores[0]?.applyNotification(
          {
            ...{ id, created, coupon },
            type: 'coupon.created',
            effect: { kind: 'publish', draft: OFFER },
          },
          clock,
        )
      const second = Math.floor(clock / 1000)
      await apply('evt_1', 'FIVE', second)
      const id = await idOf()
      expect(await offers().takeDown(id, 'coupon_used_up', clock - MINUTE, clock)).toBe(false)
      expect(await offers().takeDown('another', 'coupon_used_up', clock, clock)).toBe(false)
      clock += 60_000
      expect(await offers().takeDown(id, 'coupon_used_up', clock + 1_000, clock)).toBe(true)
      expect(await offers(1).lastRefusal('FIVE')).toBe('coupon_used_up')
      // Created before the answer, and after the last notification.
      clock += 1_000
      expect(await apply('evt_2', 'OTHER', second + 30)).toEqual({ outcome: 'published' })
      expect(await apply('evt_3', 'FIVE', second + 30)).toEqual({ outcome: 'published' })
      expect(await offers(1).lastRefusal('FIVE')).toBeNull()
    })

    it('contract T4: knows which notifications the ledger has, and up to when a key’s events are known', async () => {
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
      const first = await claim()
      expect(first).toMatchObject({ since: null })
      await offers().listed(7, clock)
      await end(first, 0)
      expect(await claim(1)).toMatchObject({ since: 7, listedMs: near(0) })
      await offers().trigger()
      expect(await claim(1, { key: 'another key' })).toMatchObject({ since: null })
    })

    it('contract T4: knows the last notification that was delivered, none that was caught up with, and none that Stripe has forgotten', async () => {
      const apply = (id: string, created: number, delivered?: boolean) =>
        stores[0]?.applyNotification(
          {
            ...{ id, created, type: 'coupon.created', coupon: 'C' },
            ...(delivered && { delivered }),
            effect: { kind: 'none', reason: 'not_featured' },
          },
          clock,
        )
      const second = Math.floor(clock / 1000)
      await apply('evt_1', second)
      expect(await offers(1).heard(clock)).toBeNull()
      await apply('evt_2', second, true)
      expect(await offers(1).heard(clock)).toBe('evt_2')
      // A repeat counts: it was caught up with before it came.
      await apply('evt_1', second, true)
      expect(await offers(1).heard(clock)).toBe('evt_1')
      await apply('evt_3', second - 30 * 86_400, true)
      expect(await offers(1).heard(clock)).toBeNull()
    })

    it('contract T3: all nodes know for how long Stripe wants no questions, even after another publication; the longest wish counts', async () => {
      await putUp()
      await offers().keepQuiet(2 * 3_600_000, clock)
      await offers().keepQuiet(1_000, clock)
      await putUp({ coupon: 'OTHER' })
      expect(await offers(1).quietMs(clock)).toEqual(near(2 * 3_600_000))
      expect(await offers(1).renew((await claim())?.token ?? 0, clock)).toMatchObject({
        quietMs: near(2 * 3_600_000),
      })
    })
  })
}

it('contract T3: a node that dies with the claim holds the others up for 10 s', async () => {
  let now = Date.now()
  const store = sqliteStore(':memory:')
  const turn = await store.offers?.claim(KEY, false, now)
  expect(turn).toHaveProperty('token')
  now += CLAIM_MS - 1
  expect(await store.offers?.claim(KEY, false, now)).toEqual({ waitMs: 1 })
  expect(await store.offers?.claim(KEY, false, now + 1)).toHaveProperty('token')
  await store.close()
})

it('contract T3: a wait that is longer than any comes from a clock that was set back since', async () => {
  const now = Date.now()
  const store = sqliteStore(':memory:')
  await store.load()
  await store.offers?.keepQuiet(3_600_000, now)
  expect(await store.offers?.quietMs(now - 24 * 3_600_000)).toBe(0)
  await store.close()
})

it('contract T3: a trigger at another node while this one goes on with its claim is asked about at once', async () => {
  const path = join(temporaryDirectory(), 'placard.db')
  const stage = await makeStage(() => sqliteStore(path))
  const { stripe, clock, tell } = stage
  const before = await stage.start()
  await tell(before, stripe.create({ id: 'C', name: 'Unlimited' }))
  await clock.pass(MINUTE)
  await before.close()
  const other = sqliteStore(path)
  const questions = () => stripe.asked.filter(({ path }) => path === '/v1/coupons/C').length
  const asked = questions()
  stripe.trouble = (path) => {
    // The list of events comes after it, in the same turn.
    if (path === '/v1/coupons/C' && questions() === asked + 1) void other.offers?.trigger()
    return undefined
  }
  await stage.start()
  await clock.pass(2_000)
  expect(questions()).toBe(asked + 2)
  await other.close()
  await stage.close()
})

it('contract T3: of two nodes, one asks', async () => {
  const path = join(temporaryDirectory(), 'placard.db')
  const stage = await makeStage(() => sqliteStore(path))
  const { stripe, clock, tell, up } = stage
  const mounts = [await stage.start(), await stage.start()]
  await tell(
    mounts[0] as (typeof mounts)[0],
    stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }),
  )
  // A node hears of a change within a second, by its own clock and not that of the stage.
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
