import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../src/core/problem.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { simulatedId } from '../../src/stripe/notification-types.ts'
import { couponNotification } from '../../src/stripe/simulate.ts'
import { visitorOf } from '../admin/visitor.ts'
import {
  current,
  type DirectMount,
  DRAFT,
  notify,
  publish,
  put,
  readOwned,
  withdraw,
} from '../harness.ts'
import { soon } from '../soon.ts'
import { FEATURED, NOT_FEATURED, type Trouble } from './fake.ts'
import type { StripeEvent } from './shapes.ts'
import { MINUTE, stageForEach } from './stage.ts'

const stage = stageForEach()
const { stripe, clock } = stage
/** Delivers a notification to the node started last. */
const tell = (event: StripeEvent) => stage.tell(event)
const up = () => stage.up()
const byHand = (mount: DirectMount, text: string, more = {}) =>
  publish(mount, { ...DRAFT, type: 'coupon', text, ...more })
const get = async (mount: DirectMount, path: string) =>
  (await readOwned(mount, `/api/events/${path}`)).json()

describe('asking Stripe again', () => {
  it('contract T2, T3, W7: a trigger takes a sold-out offer down within 2 s; a failed purge is logged and retried', async () => {
    let purge = async () => {}
    await stage.start({ onChange: () => purge() })
    await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 5 }))
    await clock.pass(MINUTE)
    expect(await up()).toBe('Limited')
    purge = async () => {
      throw new Error('no cache')
    }
    const asked = stripe.asked.length
    expect(await tell(stripe.redeem('C', 5))).toEqual({ outcome: 'ignored', reason: 'trigger' })
    await clock.pass(2_000)
    expect(await up()).toBeNull()
    const message = 'could not purge a cache; the next purge covers this change too'
    expect(stage.warnings()).toMatchObject([{ level: 'warn', message }])
    const purged = vi.fn(async () => {})
    purge = purged
    // The offer is down for good, so the service doesn't ask again.
    await clock.pass(MINUTE)
    expect(stripe.asked.length - asked).toBe(1)
    expect((await stage.history())[0]).toMatchObject({
      action: 'withdrawn',
      by: { via: 'stripe' },
      before: { text: 'Limited' },
      reason: 'coupon_used_up',
    })
    expect(await stage.tick()).toBe(200)
    expect(purged).toHaveBeenCalledTimes(1)
  })

  it("contract T2: a trigger takes a sold-out offer down within 2 s even if the trigger can't be stored", async () => {
    const store = sqliteStore(stage.database())
    const { offers } = store
    let isBusy = false
    const remember: typeof offers.remember = (...given) =>
      isBusy ? Promise.reject(new StoreUnavailable(new Error('busy'))) : offers.remember(...given)
    await stage.start({}, { ...store, offers: { ...offers, remember } })
    await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE + 3_000)
    isBusy = true
    expect((await notify(stage.last(), stripe.redeem('C', 100))).status).toBe(200)
    isBusy = false
    await clock.pass(2_000)
    expect(await up()).toBeNull()
  })

  it('contract T2, W3: deleting a coupon that is no longer featured takes its offer down within 2 s', async () => {
    await stage.offers({ name: 'Unlimited', maxRedemptions: null })
    await tell(stripe.edit('C', { metadata: NOT_FEATURED }))
    await clock.pass(MINUTE)
    expect(await up()).toBe('Unlimited')
    const asked = stripe.asked.length
    await tell(stripe.create({ id: 'D', metadata: NOT_FEATURED }))
    await clock.pass(MINUTE)
    expect(stripe.asked).toHaveLength(asked)
    const ignored = { outcome: 'ignored', reason: 'not_featured' }
    expect(await tell(stripe.remove('C'))).toEqual(ignored)
    await clock.pass(2_000)
    expect(await up()).toBeNull()
    const down = { action: 'withdrawn', reason: 'coupon_deleted' }
    expect((await stage.history())[0]).toMatchObject(down)
  })

  it.each([
    ['a tenth of the limit', 7_000, 100, 90],
    ['one redemption', 7_000, 3, 2],
    ['more than a tenth', 32_000, 100, 89],
  ])(
    'contract T3: without a trigger, an offer that had %s left comes down within %i ms of selling out',
    async (_, bound, max, sold) => {
      await stage.start()
      await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: max }))
      stripe.redeem('C', sold)
      await clock.pass(31_000)
      for (const wait of [0, 1_700, 3_300]) {
        await clock.pass(wait)
        expect(await up()).toBe('Limited')
      }
      stripe.redeem('C', max - sold)
      await clock.pass(bound)
      expect(await up()).toBeNull()
    },
  )

  it.each([
    ['with a limit', 100, 5, 32],
    ['without a limit', null, 15, 10 * 60],
  ])(
    'contract T3: even if the clock was set back, a deleted offer %s comes down in time',
    async (_, maxRedemptions, minutes, bound) => {
      await stage.offers({ maxRedemptions })
      await clock.pass(4 * MINUTE + 12_000)
      clock.set(clock.now() - minutes * MINUTE)
      stripe.remove('C')
      await clock.pass(bound * 1_000)
      expect(await up()).toBeNull()
      expect((await stage.history())[0]).toMatchObject({ reason: 'coupon_deleted' })
    },
  )

  it('contract T3: a sold-out coupon comes down even while a newer post hides it', async () => {
    const mount = await stage.offers()
    await publish(mount)
    await clock.pass(MINUTE)
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    await withdraw(mount, { type: 'post' })
    expect(await up()).toBeNull()
  })

  it('contract T1, T7: without a key, the service sends Stripe no request, and promotion codes and triggers have no effect', async () => {
    await stage.start({ stripe: undefined })
    const metadata = { ...FEATURED, placard_code: 'SALE' }
    await tell(stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5, metadata }))
    const reason = 'not_a_coupon_notification'
    expect(await tell(stripe.redeem('FIVE', 5))).toEqual({ outcome: 'ignored', reason })
    await clock.pass(24 * 60 * MINUTE)
    expect(await up()).toBe('The first five')
    expect(stripe.asked).toEqual([])
    expect(stage.warnings()).toEqual([])
  })

  it('contract T2: after `placard simulate`, the service asks Stripe only about a coupon that the command named', async () => {
    await stage.start()
    const simulate = (coupon: Parameters<typeof couponNotification>[1]) => {
      const second = Math.floor(clock.now() / 1_000)
      const made = couponNotification('coupon.created', coupon, second, simulatedId())
      return tell(made as unknown as StripeEvent)
    }
    const asked = stripe.asked.length
    expect(await simulate({ name: 'Made up' })).toEqual({ outcome: 'published' })
    await clock.pass(30 * MINUTE)
    expect(await up()).toBe('Made up')
    expect(stripe.asked).toHaveLength(asked)
    stripe.create({ id: 'C', name: 'In Stripe', maxRedemptions: 100 })
    await simulate({ coupon: 'C' })
    expect(await up()).toBe('In Stripe')
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up()).toBeNull()
  })

  it('contract T3: with nothing published, the service asks Stripe only for missed events, once an hour', async () => {
    await stage.start()
    const first = stripe.asked.splice(0)
    expect(first.map(({ path }) => path)).toEqual(['/v1/coupons/placard-doctor', '/v1/events'])
    await clock.pass(5 * 60 * MINUTE)
    expect(stripe.asked.map(({ path }) => path)).toEqual(Array(5).fill('/v1/events'))
  })

  it.each([
    ['rejects the key', 401, '/', /^Stripe rejects the key \(401\)/],
    ["doesn't let the key read coupons", 403, 'coupons', /to read coupons \(403\)/],
  ])(
    'contract T2: at the first start and once an hour, the service logs that Stripe %s',
    async (_, status, what, message) => {
      stripe.trouble = (path) => (path.includes(what) ? { status } : undefined)
      await stage.start()
      const reason = expect.stringMatching(message)
      expect(stage.warnings()).toMatchObject([{ fields: { reason } }])
      await clock.pass(59 * MINUTE)
      expect(stage.warnings()).toHaveLength(1)
      await clock.pass(60 * MINUTE)
      expect(stage.warnings()).toHaveLength(2)
    },
  )
})

describe('with a store that has no `watch`', () => {
  it('contract N2, N3, T3: between notifications, only a tick asks Stripe about the coupon, at most three times, and takes a sold-out offer down', async () => {
    const { watch: _, ...store } = sqliteStore(stage.database())
    await stage.start({}, store)
    const asked = () => stripe.asked.filter(({ path }) => path === '/v1/coupons/C').length
    const inTick = async () => {
      const before = asked()
      expect(await stage.tick()).toBe(200)
      return asked() - before
    }
    await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    const atFirst = asked()
    await clock.pass(10 * MINUTE)
    expect(asked()).toBe(atFirst)
    expect(await inTick()).toBe(1)
    expect(await inTick()).toBe(0)
    await tell(stripe.redeem('C'))
    expect(await inTick()).toBe(1)
    // Each request sets off another trigger, so there is always more to ask.
    stripe.trouble = () => void store.offers.remember({ due_at: 0 })
    await tell(stripe.redeem('C'))
    expect(await inTick()).toBe(3)
    stripe.trouble = () => undefined
    stripe.redeem('C', 100)
    expect(await up()).toBe('Limited')
    await stage.tick()
    expect(await up()).toBeNull()
  })
})

describe("while Stripe doesn't answer", () => {
  it.each([
    ...[0, 84, 87, 120, 159, 198, 234].map((trigger) => [0, trigger]),
    // Here, the list of events is due together with the last request about the coupon.
    [140, 0],
  ])(
    'contract T3: a limited offer shows for 5:00 to 5:05 min, with slow requests from %i s and a trigger at %i s',
    async (slowAfter = 0, trigger = 0) => {
      await stage.offers()
      const answeredAt = stripe.asked.at(-1)?.at ?? 0
      stripe.trouble = () => {
        if (clock.now() - answeredAt >= slowAfter * 1_000) clock.advance(4_000)
        return 'resets'
      }
      await clock.pass(trigger * 1_000)
      // The trigger shifts the times of all later requests.
      await tell(stripe.redeem('C'))
      // Jumps ahead, because the offer shows at least until then.
      await clock.pass(answeredAt + 5 * MINUTE - 15_000 - clock.now())
      expect(await up()).toBe('Limited')
      const shownFor = () => clock.now() - answeredAt
      while ((await up()) !== null && shownFor() < 6 * MINUTE) await clock.pass(250)
      expect(shownFor()).toBeGreaterThanOrEqual(5 * MINUTE)
      expect(shownFor()).toBeLessThanOrEqual(5 * MINUTE + 5_000)
    },
  )

  it.each([
    ['a limit', { maxRedemptions: 100 }, 'published', null],
    ['a limit', { maxRedemptions: 100 }, 'retrieved', null],
    ['a limit', { maxRedemptions: 100 }, 'confirmed', null],
    ['a promotion code', { metadata: { ...FEATURED, placard_code: 'FIVE' } }, 'published', null],
    ['no limit', {}, 'published', 'Offer'],
    ['no limit', {}, 'retrieved', 'Offer'],
    ['no limit', {}, 'confirmed', 'Offer'],
  ])(
    'contract T3: after 16 minutes without an answer, an offer with %s %o that was last %s shows as %s',
    async (_, parts, last, shown) => {
      await stage.start()
      if (last === 'published') stage.silence()
      const published = { outcome: 'published' }
      expect(await tell(stripe.create({ name: 'Offer', ...parts }))).toEqual(published)
      // The service asks about the offer again within this time.
      if (last === 'confirmed') await clock.pass(11 * MINUTE)
      stage.silence()
      await clock.pass(16 * MINUTE)
      expect(await up()).toBe(shown)
    },
  )

  it('contract T3: an offer with a limit is paused after 5 minutes, even if the clock is set back meanwhile', async () => {
    await stage.offers()
    stage.silence()
    clock.set(clock.now() - 60 * MINUTE)
    await clock.pass(4 * MINUTE)
    expect(await up()).toBe('Limited')
    await clock.pass(2 * MINUTE)
    expect(await up()).toBeNull()
  })

  it.each<[string, string, Trouble | undefined]>([
    ['unreachable', 'no_answer', 'resets'],
    ['failing', 'no_answer', { status: 503 }],
    ['answering with HTML', 'no_answer', { status: 200, body: '<html>' }],
    ['over its rate limit', 'no_answer', { status: 429, headers: { 'Retry-After': '600' } }],
    ['rejecting a revoked key', 'key_refused', undefined],
    ['denying permission', 'right_missing', { status: 403 }],
  ])(
    'contract T2, T3, R8: with Stripe %s, a limited offer is paused after 5 minutes (%s), and everything else works',
    async (_, reason, trouble) => {
      const mount = await stage.offers()
      if (trouble) stripe.trouble = () => trouble
      else stripe.keys.clear()
      await clock.pass(4 * MINUTE + 30_000)
      expect(await up()).toBe('Limited')
      expect((await publish(mount)).status).toBe(201)
      expect((await withdraw(mount, { type: 'post' })).status).toBe(200)
      await clock.pass(65_000)
      expect(await up()).toBeNull()
      expect((await stage.history())[0]).toMatchObject({ action: 'paused', reason })
      const other = stripe.create({ id: 'D', name: 'Its own snapshot counts' })
      expect(await tell(other)).toEqual({ outcome: 'published' })
      expect(await up()).toBe('Its own snapshot counts')
      await clock.pass(20 * MINUTE)
      const kinds = stage.warnings().map(({ message }) => message)
      expect([1, 2]).toContain(kinds.length)
      expect(new Set(kinds).size).toBe(kinds.length)
    },
  )

  it.each([
    ['seconds', 429, undefined],
    ['seconds', 503, '<html>'],
    ['seconds', 503, '{"message":"Too many"}'],
    ['a date', 429, undefined],
  ])(
    'contract T3: the service sends no request before Retry-After ends, even after a restart (%s, %i, body %s)',
    async (form, status, body) => {
      const before = await stage.offers()
      const wish = () =>
        form === 'a date' ? new Date(clock.now() + 40 * MINUTE).toUTCString() : '2400'
      stripe.trouble = () => ({
        ...{ status, headers: { 'Retry-After': wish() } },
        ...(body !== undefined && { body }),
      })
      await clock.pass(31_000)
      stripe.trouble = () => undefined
      const asked = stripe.asked.length
      const until = Number(stripe.asked.at(-1)?.at) + 40 * MINUTE
      await before.close()
      await stage.start()
      while (clock.now() < until - 3_000) {
        await tell(stripe.redeem('C'))
        await tell(stripe.edit('C', { name: `At ${clock.now()}` }))
        await clock.pass(Math.min(2 * MINUTE, until - 2_000 - clock.now()))
      }
      expect(stripe.asked).toHaveLength(asked)
      await clock.pass(40_000)
      expect(stripe.asked.length).toBeGreaterThan(asked)
    },
  )

  const limited: Trouble = { status: 429, headers: { 'Retry-After': '7' } }
  it.each<[string, string, Trouble, number | null, number[]]>([
    ['answers Retry-After: 7', 'with a limit, up to 30 s', limited, 100, [7, 14, 28, 30, 30, 30]],
    [
      ...(['answers Retry-After: 7', 'without a limit, up to 10 min', limited, null] as const),
      [7, 14, 28, 56, 112, 224, 448, 600, 600],
    ],
    ['drops connections', 'with a limit, up to 30 s', 'resets', 100, [1, 2, 4, 8, 16, 30, 30]],
  ])(
    'contract T3: while Stripe %s, each wait doubles for an offer %s',
    async (_, __, trouble, maxRedemptions, gaps) => {
      await stage.offers({ maxRedemptions })
      stripe.trouble = () => trouble
      const asked = stripe.asked.length
      await clock.pass(10 * MINUTE + 1_000 * gaps.reduce((sum, gap) => sum + gap))
      const checks = stripe.asked.slice(asked).filter(({ path }) => path === '/v1/coupons/C')
      const times = checks.map(({ at }) => at / 1_000)
      const waits = times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)))
      expect(waits.slice(0, gaps.length)).toEqual(gaps)
    },
  )

  it('contract T3: a trigger shortens no wait while requests fail, but works again after an answer', async () => {
    await stage.offers({ maxRedemptions: 1000 })
    stripe.trouble = () => ({ status: 429 })
    const asked = stripe.asked.length
    for (let second = 0; second < 120; second++) {
      await tell(stripe.redeem('C'))
      await clock.pass(1_000)
    }
    // Requests about the coupon after 0, 1, 3, 7, 15, 31, 61 and 91 s, and as many for missed events.
    expect(stripe.asked.length - asked).toBeLessThanOrEqual(16)
    await stage.answer(40_000)
    await tell(stripe.redeem('C', 1000))
    await clock.pass(2_000)
    expect(await up()).toBeNull()
  })

  it('contract T3: an announcement that starts during a pause shows, and still shows after the pause', async () => {
    const mount = await stage.offers()
    stage.silence()
    await clock.pass(6 * MINUTE)
    await withdraw(mount, { type: 'post' })
    expect(await get(mount, `scheduled?at=${clock.now() + MINUTE}`)).toEqual({ event: null })
    await byHand(mount, 'Starts', { startsAt: clock.now() + MINUTE })
    await clock.pass(MINUTE)
    expect(await up()).toBe('Starts')
    await stage.answer(2 * MINUTE)
    expect(await up()).toBe('Starts')
  })

  it("contract R8, R9: a pause can't be undone, and an undo without an id skips it", async () => {
    await stage.start()
    await tell(stripe.create({ id: 'A', name: 'Before it' }))
    await clock.pass(2_000)
    await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    stage.silence()
    await clock.pass(6 * MINUTE)
    const [paused, put] = await stage.history()
    expect(paused).toMatchObject({ action: 'paused', undo: 'not_undoable', by: { coupon: 'C' } })
    expect(paused?.before).toEqual(paused?.after)
    expect(put).toMatchObject({ action: 'replaced', undo: 'possible' })
    expect((await stage.undo(paused?.id)).status).toBe(409)
    expect((await stage.undo()).status).toBe(200)
    expect(await up()).toBe('Before it')
  })

  it('contract R7, T3: the API and the admin say when Stripe last confirmed a paused offer; a restart without a key resumes it', async () => {
    const mount = await stage.offers()
    const answeredAt = String(stripe.asked.at(-1)?.at)
    stage.silence()
    expect((await get(mount, 'slots')).events[0]).not.toHaveProperty('pausedSince')
    await clock.pass(6 * MINUTE)
    expect((await get(mount, 'slots')).events).toMatchObject([
      { coupon: 'C', pausedSince: answeredAt },
    ])
    const visitor = visitorOf(mount.placard)
    await visitor.signIn(mount)
    const admin = await (await visitor.get('/admin')).text()
    expect(admin).toMatch(/Paused: Stripe hasn’t confirmed it since\s*<time/)
    expect(await (await visitor.get('/admin/history')).text()).toContain('Paused')
    await mount.close()
    await stage.start({ stripe: undefined })
    expect(await up()).toBe('Limited')
    expect((await stage.history())[0]).toMatchObject({ action: 'resumed' })
  })

  it.each<[string, string | null, () => Promise<unknown>]>([
    // A deletion takes down any announcement of the type (spec 6).
    ['is deleted', null, () => tell(stripe.remove('OTHER'))],
    [
      'arrives already sold out',
      'Limited',
      () => tell(stripe.create({ id: 'N', maxRedemptions: 1, timesRedeemed: 1 })),
    ],
    [
      'is created unnoticed and ends',
      null,
      async () => {
        stripe.create({ id: 'NEW', redeemBy: Math.floor(clock.now() / 1000) + 60 })
        await clock.pass(2 * MINUTE)
      },
    ],
  ])(
    'contract T3, W5, W6: if another coupon %s during a pause, the text that shows afterwards is %s',
    async (_, then, happen) => {
      await stage.start()
      await tell(stripe.create({ id: 'OTHER', name: 'Other' }))
      await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
      stage.silence()
      await clock.pass(6 * MINUTE)
      expect(await up()).toBeNull()
      await happen()
      await stage.answer(2 * MINUTE)
      expect(await up()).toBe(then)
    },
  )

  it.each([
    ['that the coupon was deleted', 'withdrawn', () => stripe.remove('C')],
    [
      'that the coupon is used up',
      'ignored',
      () => {
        stripe.redeem('C', 100)
        return stripe.edit('C', {})
      },
    ],
  ])(
    'contract A18, T2: an older notification %s takes an announcement down even after a person has reworded it',
    async (_, outcome, change) => {
      const mount = await stage.offers({ name: 'Ten of' })
      stripe.trouble = () => ({ status: 401 })
      const event = change()
      await clock.pass(20_000)
      const shown = await current(mount)
      const body = { text: 'Ten off', type: 'coupon', slug: '#coupon' }
      expect((await put(mount, shown?.id, body)).status).toBe(200)
      await clock.pass(20_000)
      expect(await tell(event)).toMatchObject({ outcome })
      expect(await up()).toBeNull()
    },
  )

  it("contract T3: a pause, and the time since Stripe's last answer, survive a restart", async () => {
    let mount = await stage.offers()
    const before = await current(mount)
    const again = async () => {
      await mount.close()
      mount = await stage.start()
    }
    stage.silence()
    await clock.pass(4 * MINUTE)
    await again()
    expect(await up()).toBe('Limited')
    await clock.pass(MINUTE)
    expect(await up()).toBeNull()
    await again()
    await clock.pass(15 * MINUTE)
    expect(await up()).toBeNull()
    await stage.answer()
    expect(await current(mount)).toEqual(before)
    expect(await stage.history()).toMatchObject([
      { action: 'resumed' },
      { action: 'paused', reason: 'no_answer' },
      { action: 'published' },
    ])
  })
})

describe('a notification', () => {
  it('contract T2: publishes nothing if the checkout already refuses its coupon', async () => {
    await stage.start()
    const soldOut = stripe.create({ id: 'C', name: 'Sold out', maxRedemptions: 5 })
    stripe.redeem('C', 5)
    expect(await tell(soldOut)).toEqual({ outcome: 'ignored', reason: 'coupon_used_up' })
    const deleted = stripe.create({ id: 'D', name: 'Deleted' })
    stripe.remove('D')
    expect(await tell(deleted)).toEqual({ outcome: 'ignored', reason: 'coupon_deleted' })
    expect(await up()).toBeNull()
    expect(await stage.history()).toMatchObject([
      { action: 'ignored', reason: 'coupon_deleted' },
      { action: 'ignored', reason: 'coupon_used_up' },
    ])
  })

  it.each(['answering', 'silent'])(
    'contract T2: still takes down an earlier offer if its own coupon has expired since, with Stripe %s',
    async (how) => {
      await stage.start()
      await tell(stripe.create({ id: 'B', name: 'Before it' }))
      await clock.pass(5_000)
      const redeemBy = Math.floor(clock.now() / 1000) + 60
      const expired = stripe.create({ id: 'C', name: 'For a minute', redeemBy })
      await clock.pass(120_000)
      if (how === 'silent') stage.silence()
      expect(await tell(expired)).toEqual({ outcome: 'withdrawn', reason: 'coupon_expired' })
      expect(await up()).toBeNull()
      const by = { coupon: 'C', event: 'coupon.created' }
      const before = { coupon: 'B' }
      expect((await stage.history())[0]).toMatchObject({ by, before, reason: 'coupon_expired' })
    },
  )

  it("contract T2, W6: takes down a person's earlier announcement even if its own coupon sold out before it arrived", async () => {
    await byHand(await stage.start(), 'By hand')
    await clock.pass(5_000)
    const late = stripe.create({ id: 'C', name: 'Late', maxRedemptions: 5 })
    stripe.redeem('C', 5)
    await clock.pass(5_000)
    await tell(stripe.edit('C', { name: 'Renamed when it was sold out' }))
    expect(await up()).toBe('By hand')
    expect(await tell(late)).toEqual({ outcome: 'withdrawn' })
    expect(await up()).toBeNull()
  })

  it("contract T2: publishes the retrieved coupon's content if the coupon is still featured, otherwise the snapshot's", async () => {
    await stage.start()
    const created = stripe.create({ id: 'C', name: 'First name' })
    stripe.edit('C', { name: 'Second name' })
    await tell(created)
    expect(await up()).toBe('Second name')
    const third = stripe.edit('C', { name: 'Third name' })
    stripe.edit('C', { name: 'Not for a page', metadata: NOT_FEATURED })
    await tell(third)
    expect(await up()).toBe('Third name')
  })

  it('contract T2: waits at most 2 s for a Stripe that hangs or trickles, and delays no read or write', async () => {
    const mount = await stage.start()
    stripe.trouble = (path) => (path.endsWith('HANGS') ? 'hangs' : 'trickles')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const events = ['HANGS', 'TRICKLES'].map((id) => stripe.create({ id, name: id }))
    let isAnswered = false
    const answers = Promise.all(events.map((event) => notify(mount, event))).finally(() => {
      isAnswered = true
    })
    expect((await publish(mount)).status).toBe(201)
    expect(await up()).toBe(DRAFT.text)
    expect(isAnswered).toBe(false)
    for (const answer of await answers) {
      expect(await answer.json()).toMatchObject({ outcome: 'published' })
    }
    // Checks the timers, because measured times depend on the machine.
    const waits = timers.mock.calls.map(([, ms]) => ms)
    expect(waits.filter((ms) => ms === 2_000)).toHaveLength(events.length)
    timers.mockRestore()
    const messages = new Set(stage.warnings().map(({ message }) => message))
    expect([...messages]).toEqual([expect.stringContaining('no answer from Stripe')])
  })

  it("contract T2, T3: is applied or refused with 503 if its node stops while waiting for Stripe, and the interrupted requests don't count as failures", async () => {
    const mount = await stage.offers()
    stripe.trouble = () => 'hangs'
    const asked = stripe.asked.length
    const due = clock.pass(MINUTE)
    await soon(() => expect(stripe.asked.length).toBe(asked + 1))
    const answer = notify(mount, stripe.create({ id: 'D', name: 'Hanging' }))
    await soon(() => expect(stripe.asked.length).toBe(asked + 2))
    await mount.close()
    // The snapshot is applied, unless the store closes first.
    expect([200, 503]).toContain((await answer).status)
    await due
    const store = sqliteStore(stage.database())
    const memory = await store.offers.recall(clock.now())
    expect(memory?.failures).toBe(0)
    expect(memory?.due_at).toBeLessThanOrEqual(clock.now())
    await store.close()
    expect(JSON.stringify(mount.log.lines)).not.toContain('no answer from Stripe')
    await clock.pass(60 * MINUTE)
    expect(stripe.asked).toHaveLength(asked + 2)
  })

  it.each(['By hand', null])(
    "contract T2: doesn't override what a person publishes or withdraws while the service asks Stripe; the text afterwards is %s",
    async (text) => {
      const mount = await stage.start()
      await tell(stripe.create({ id: 'B', name: 'Before it' }))
      await clock.pass(10_000)
      stripe.latency = () => 200
      const asked = stripe.asked.length
      const answer = notify(mount, stripe.create({ id: 'C', name: 'By Stripe' }))
      await soon(() => expect(stripe.asked.length).toBeGreaterThan(asked))
      // The person acts in the same second of Stripe's clock as the notification.
      clock.advance(200)
      if (text === null) await withdraw(mount, { type: 'coupon' })
      else await byHand(mount, text)
      expect(await (await answer).json()).toMatchObject({ outcome: 'ignored', reason: 'stale' })
      expect(await up()).toBe(text)
      await clock.pass(MINUTE)
      expect(await up()).toBe(text)
    },
  )

  it("contract T2: is applied if it was created in the same second as a person's decision, but after it", async () => {
    clock.set(Math.ceil(clock.now() / 1_000) * 1_000 + 100)
    await byHand(await stage.start(), 'By hand')
    clock.set(Math.ceil(clock.now() / 1_000) * 1_000 + 100)
    await byHand(stage.last(), 'By hand again')
    clock.advance(300)
    expect(await tell(stripe.create({ id: 'C', name: 'After it' }))).toEqual({
      outcome: 'published',
    })
  })

  it("contract T2, A9: is applied if it was created before an announcement's end, because an end isn't a decision", async () => {
    await byHand(await stage.start(), 'By hand', { expiresAt: clock.now() + 20_000 })
    await clock.pass(10_000)
    const late = stripe.create({ id: 'C', name: 'Late' })
    await clock.pass(15_000)
    expect(await tell(late)).toEqual({ outcome: 'published' })
    expect(await up()).toBe('Late')
  })
})
