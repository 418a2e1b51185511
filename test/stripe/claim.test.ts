import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft } from '../../src/core/announcement.ts'
import type { CouponNotification } from '../../src/core/coupon.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Offers, Store } from '../../src/store/store.ts'
import { createClaims, heardIn, type Turn } from '../../src/stripe/claim.ts'
import { soon } from '../soon.ts'
import { asCode, STORED, STORES } from '../stores.ts'
import { MINUTE, stageForEach } from './stage.ts'

const CLAIM_MS = 10_000
const KEY = 'a mark'
const OFFER: Draft = { ...STORED, text: 'The first five', type: 'coupon', slug: '#coupon' }
const trigger = (offers: Offers) => offers.remember({ due_at: 0 }, { failures: 0 })
const near = (ms: number) => expect.toSatisfy((it: number) => Math.abs(it - ms) < 5_000)

for (const kind of STORES) {
  describe(`the claim to ask Stripe, ${kind.name}`, () => {
    let stores: Store[]
    /** The nodes' clock, ten minutes off: with a database that has its own clock, the nodes' mustn't matter. */
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
    const claims = (node = 0) => createClaims(offers(node), clock)
    const recall = () => offers().recall(now)
    const claim = async (node = 0, { key = KEY, wanted = false } = {}) => {
      const turn = await claims(node).claim(key, wanted)
      return 'waitMs' in turn ? undefined : turn
    }
    const end = (turn: Turn | undefined, failures = 0, nextMs = MINUTE / 2) =>
      turn?.end(nextMs, failures)
    const idOf = async () => (await stores[0]?.load())?.published[0]?.id ?? ''
    const putUp = async (parts: Partial<CouponNotification> = {}) => {
      const id = crypto.randomUUID()
      const about = { id, type: 'coupon.created', created: null, coupon: 'FIVE', limited: true }
      const effect = { kind: 'publish', draft: OFFER } as const
      await stores[0]?.applyNotification({ ...about, effect, ...parts }, now)
      return idOf()
    }

    it('contract T3: goes to only one of 20 callers at once', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(index % 2)))
      expect(all.filter((turn) => turn !== undefined)).toHaveLength(1)
      expect(await claims(1).claim(KEY, true)).toEqual({ waitMs: near(CLAIM_MS) })
    })

    it('contract T3: is available when it is due, at once after a trigger, and early to a node that missed something', async () => {
      await end(await claim())
      expect(await claim(1)).toBeUndefined()
      await end(await claim(1, { wanted: true }))
      await trigger(offers(1))
      const turn = await claim()
      await trigger(offers(1))
      expect(await end(turn)).toBe(0)
      expect(await claim(1)).toBeDefined()
    })

    it("contract T3: isn't available sooner after a trigger or a node's start while Stripe doesn't answer", async () => {
      await putUp()
      await end(await claim(), 1)
      expect(await trigger(offers(1))).toBe(false)
      expect(await claim(1, { wanted: true })).toBeUndefined()
      await putUp()
      const turn = await claim(1)
      expect(turn?.memory).toMatchObject({ failures: 1 })
      await end(turn)
      expect(await trigger(offers(1))).toBe(true)
    })

    it('contract T3: uses up a trigger when it is extended, and is lost once another node has it', async () => {
      const turn = await claim()
      expect(await turn?.leftMs()).toBe(0)
      await trigger(offers(1))
      expect(await turn?.leftMs()).toBe(0)
      expect(await claim(1)).toBeUndefined()
      await trigger(offers(1))
      now += 1
      const other = await claim(1)
      expect(other).toBeDefined()
      await expect(turn?.leftMs()).rejects.toThrow()
      // A node that wakes up late doesn't end the other node's claim.
      await end(turn)
      expect(await claim()).toBeUndefined()
      // The other node still has the claim.
      expect(await other?.leftMs()).toBe(0)
      expect(await end(other)).toBe(MINUTE / 2)
    })

    it('contract T3: tells its node what is published, whether it has a limit, and when Stripe last answered', async () => {
      const id = await putUp({ happenedAt: now - MINUTE })
      expect(await offers(1).standing()).toMatchObject({ id, coupon: 'FIVE', text: OFFER.text })
      const { memory } = (await claim()) as Turn
      const known = { limited: 1, seen: 0, paused: null, failures: 0, since: null }
      expect(memory).toMatchObject(known)
      expect(memory.time - memory.asked_at).toEqual(near(MINUTE))
      const { asked_at } = memory
      await offers().remember({ limited: 0, seen: 1, asked_at: asked_at + 1 }, { asked_at }, id)
      // The answer to an older request arrives later, and doesn't count.
      await offers().remember({ limited: 1, seen: 0 }, { asked_at }, id)
      await trigger(offers())
      expect((await claim(1))?.memory).toMatchObject({ limited: 0, seen: 1 })
      await trigger(offers())
      expect((await claim(1, { key: 'another key' }))?.memory).toMatchObject({ seen: 0 })
    })

    it('contract T3, R9: an answer counts only for its own offer, and an offer that an undo restored counts as limited', async () => {
      const id = await putUp()
      await offers().remember({ limited: 0, seen: 1 }, {}, id)
      await putUp({ coupon: 'OTHER', limited: false })
      await stores[0]?.undo(null, asCode(now))
      const { memory } = (await claim()) as Turn
      expect(memory).toMatchObject({ limited: 1, seen: 0 })
      expect(memory.time - memory.asked_at).toEqual(near(0))
      await putUp({ coupon: 'OTHER' })
      expect(await offers().remember({ limited: 0, seen: 1 }, {}, id)).toBe(false)
      expect((await claim())?.memory).toMatchObject({ limited: 1, seen: 0 })
    })

    it('contract T3, R8: an offer without an answer is paused, and resumes unchanged', async () => {
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
      expect((await claim())?.memory).toMatchObject({ paused: id })
      expect(await offers(1).resume(now)).toBe(true)
      expect(await stores[1]?.load()).toEqual(before)
      expect(await stores[0]?.history(2, null)).toMatchObject([
        { action: 'resumed', by: { via: 'stripe', coupon: 'FIVE' }, before: { id } },
        { action: 'paused', before: { id }, after: { id }, reason: 'no_answer' },
      ])
    })

    it('contract T3: a pause ends when the offer is replaced or withdrawn, but not when it is edited', async () => {
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

    it("contract W6, R9: an answer from Stripe doesn't make a notification created before it stale", async () => {
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
      // This notification was created before the answer, but after the last notification.
      now += 1_000
      await putUp({ coupon: 'OTHER', created: second + 30 })
      expect((await offers().standing())?.coupon).toBe('OTHER')
      await putUp({ created: second + 30 })
      expect((await offers().standing())?.coupon).toBe('FIVE')
      expect(await offers(1).lastRefusal('FIVE')).toBeNull()
    })

    it("contract T4: the store remembers which notifications were applied, and up to when it knows a key's events", async () => {
      const id = 'evt_1'
      const type = 'coupon.created'
      await putUp({ id, created: 1, effect: { kind: 'none', reason: 'not_featured' } })
      const others = [
        { id: 'evt_2', type },
        { id, type: 'coupon.deleted' },
      ]
      expect(await offers(1).unseen([{ id, type }, ...others])).toEqual(others)
      const first = await claim()
      expect(first?.memory).toMatchObject({ since: null })
      await offers().remember({ since: 7 })
      await end(first, 0, 0)
      expect((await claim(1))?.memory).toMatchObject({ since: 7 })
      await trigger(offers())
      expect((await claim(1, { key: 'another key' }))?.memory).toMatchObject({ since: null })
    })

    it('contract T4: the last delivered notification shows which account the webhooks belong to, unless it is too old', async () => {
      const effect = { kind: 'none', reason: 'not_featured' } as const
      const second = Math.floor(now / 1000)
      const heard = async () => heardIn(await recall())
      await putUp({ id: 'evt_1', created: second, effect })
      expect(await heard()).toBeNull()
      await putUp({ id: 'evt_2', created: second, delivered: true, effect })
      expect(await heard()).toBe('evt_2')
      // The list had this notification first; its delivery still counts.
      await putUp({ id: 'evt_1', created: second, delivered: true, effect })
      expect(await heard()).toBe('evt_1')
      await putUp({ id: 'evt_3', created: second - 30 * 86_400, delivered: true, effect })
      expect(await heard()).toBeNull()
    })

    it('contract T3: all nodes respect the longest wait that Stripe asked for, even after another publication', async () => {
      await putUp()
      const wishes = [1_000, 2 * 3_600_000, 2_000]
      await Promise.all(wishes.map((ms, node) => claims(node % 2).quiet.keep(ms)))
      await claims().quiet.keep(1_000)
      await putUp({ coupon: 'OTHER' })
      expect(await claims(1).quiet.leftMs()).toEqual(near(2 * 3_600_000))
      expect(await (await claim())?.leftMs()).toEqual(near(2 * 3_600_000))
    })
  })
}

describe('the claim to ask Stripe', () => {
  const at = (now: number, store: Store) =>
    createClaims(store.offers, { now: () => now, monotonic: () => now })

  it('contract T3: is available to other nodes 10 s after its node dies', async () => {
    const now = Date.now()
    const store = sqliteStore(':memory:')
    expect(await at(now, store).claim(KEY, false)).toHaveProperty('memory')
    const late = now + CLAIM_MS
    expect(await at(late - 1, store).claim(KEY, false)).toEqual({ waitMs: 1 })
    expect(await at(late, store).claim(KEY, false)).toHaveProperty('memory')
    await store.close()
  })

  it('contract T3: drops a wait from before the clock was set back, and respects a new one', async () => {
    const now = Date.now()
    const store = sqliteStore(':memory:')
    await store.load()
    await at(now, store).quiet.keep(3_600_000)
    const { keep, leftMs } = at(now - 24 * 3_600_000, store).quiet
    expect(await leftMs()).toBe(0)
    await keep(7_000)
    expect(await leftMs()).toBe(7_000)
    await store.close()
  })
})

describe('two nodes', () => {
  const stage = stageForEach()
  const { stripe, clock } = stage
  const questions = () => stripe.asked.filter(({ path }) => path === '/v1/coupons/C').length

  it('contract T3: a trigger at one node makes the node that holds the claim ask again at once', async () => {
    const before = await stage.offers({ maxRedemptions: null })
    await before.close()
    const other = sqliteStore(stage.database())
    const asked = questions()
    stripe.trouble = (path) => {
      // The node lists events after this, under the same claim.
      if (path === '/v1/coupons/C' && questions() === asked + 1)
        void other.offers.remember({ due_at: 0 })
      return undefined
    }
    await stage.start()
    await clock.pass(2_000)
    expect(questions()).toBe(asked + 2)
    await other.close()
  })

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

  it('contract T3: only one of them asks Stripe, and the other takes over when it closes', async () => {
    const { clock, up } = stage
    const second = await stage.start()
    const first = await stage.offers()
    // A node hears of a change within a second of real time, not of the stage's clock.
    await soon(async () => expect(await up(second)).toBe('Limited'))
    const asked = questions()
    await clock.pass(10 * 30_000)
    expect(questions() - asked).toBe(10)
    await first.close()
    await clock.pass(10 * 30_000)
    expect(questions() - asked).toBe(20)
    expect(await up(second)).toBe('Limited')
  })
})
