import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { madeUpId } from '../../src/stripe/notification-types.ts'
import { couponNotification } from '../../src/stripe/simulate.ts'
import { visitorOf } from '../admin/visitor.ts'
import {
  current,
  type DirectMount,
  DRAFT,
  makePlacard,
  notify,
  publish,
  withdraw,
  write,
} from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { FEATURED, KEY, NOT_FEATURED } from './fake.ts'
import { historyOf } from './history.ts'
import { type StripeEvent, VERSIONS } from './shapes.ts'
import { makeStage, type Stage } from './stage.ts'

const MINUTE = 60_000

describe('asking again', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await makeStage()
  })
  afterEach(() => stage.close())

  it('contract T2: sold out, with a trigger: it is down within 2 s, and the history says why', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 }))
    await clock.pass(12_345)
    expect(await up(mount)).toBe('The first five')
    const asked = stripe.asked.length
    const answer = await tell(mount, stripe.redeem('FIVE', 5))
    expect(answer).toEqual({ outcome: 'ignored', reason: 'trigger' })
    await clock.pass(2_000)
    expect(await up(mount)).toBeNull()
    // It is down for good, so nothing more is asked.
    await clock.pass(60_000)
    expect(stripe.asked.length - asked).toBe(1)
    const [down] = await historyOf(mount)
    expect(down).toMatchObject({
      action: 'withdrawn',
      by: { via: 'stripe' },
      before: { text: 'The first five' },
      reason: 'coupon_used_up',
    })
  })

  it('contract T2, W3: a coupon is asked about when it is deleted after its flag was taken away, so it is down within 2 s', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Unlimited' }))
    await clock.pass(MINUTE)
    await tell(mount, stripe.edit('C', { metadata: NOT_FEATURED }))
    await clock.pass(MINUTE)
    expect(await up(mount)).toBe('Unlimited')
    const asked = stripe.asked.length
    await tell(mount, stripe.create({ id: 'D', metadata: NOT_FEATURED }))
    await clock.pass(MINUTE)
    expect(stripe.asked).toHaveLength(asked)
    const ignored = { outcome: 'ignored', reason: 'not_featured' }
    expect(await tell(mount, stripe.remove('C'))).toEqual(ignored)
    await clock.pass(2_000)
    expect(await up(mount)).toBeNull()
    const down = { action: 'withdrawn', reason: 'coupon_deleted' }
    expect((await historyOf(mount))[0]).toMatchObject(down)
  })

  it.each([
    ['a tenth or less was left', 100, 90, 7_000],
    ['one was left', 3, 2, 7_000],
    ['more was left', 100, 89, 32_000],
  ])('contract T3: sold out, without a trigger, when %s', async (_, max, sold, bound) => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: max }))
    stripe.redeem('C', sold)
    await clock.pass(31_000)
    for (const wait of [0, 1_700, 3_300]) {
      await clock.pass(wait)
      expect(await up(mount)).toBe('Limited')
    }
    stripe.redeem('C', max - sold)
    await clock.pass(bound)
    expect(await up(mount)).toBeNull()
  })

  it('contract T3, W7: a purge that fails when an offer comes down is told as that, and repeated', async () => {
    const { stripe, clock, tell, up } = stage
    let purge = async () => {}
    const mount = await stage.start({ onChange: () => purge() })
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 10 }))
    await clock.pass(2_000)
    purge = async () => {
      throw new Error('no cache')
    }
    await tell(mount, stripe.redeem('C', 10))
    await clock.pass(3_000)
    expect(await up(mount)).toBeNull()
    expect(warningsOf(mount)).toMatchObject([
      { level: 'warn', message: 'could not purge a cache; this is tried again' },
    ])
    const purged = vi.fn(async () => {})
    purge = purged
    await clock.pass(5_000)
    expect((await write(mount, 'POST', undefined, {}, '/api/events/tick')).status).toBe(200)
    expect(purged).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['with a limit', 100, 5, 32],
    ['without one', null, 15, 10 * 60],
  ])(
    'contract T3: an offer %s is asked about in time, though the clock was set back',
    async (_, maxRedemptions, minutes, bound) => {
      const { stripe, clock, tell, up } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'C', name: 'It is up', maxRedemptions }))
      await clock.pass(5 * MINUTE + 12_000)
      clock.set(clock.now() - minutes * MINUTE)
      stripe.remove('C')
      await clock.pass(bound * 1_000)
      expect(await up(mount)).toBeNull()
    },
  )

  it('contract T3: Stripe silent for 20 minutes: a limited offer is down after 5, and back as it was with the next good answer', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    const before = await current(mount)
    await clock.pass(MINUTE)
    stripe.trouble = () => 'resets'
    await clock.pass(4 * MINUTE)
    expect(await up(mount)).toBe('Limited')
    await clock.pass(MINUTE + 1_000)
    expect(await up(mount)).toBeNull()
    await clock.pass(15 * MINUTE)
    expect(await up(mount)).toBeNull()
    stripe.trouble = () => undefined
    await clock.pass(31_000)
    expect(await current(mount)).toEqual(before)
    const [back, down] = await historyOf(mount)
    expect(down).toMatchObject({ action: 'paused', reason: 'no_answer' })
    expect(back).toMatchObject({ action: 'resumed' })
    expect(warningsOf(mount)).toHaveLength(1)
  })

  it.each([
    ...[0, 84, 87, 120, 159, 198, 234].map((trigger) => [0, trigger]),
    // So a list would be due with the last question.
    [140, 0],
  ])(
    'contract T3: though each question takes 4 s from %i s on, a limited offer is down 5 min and 5 s after the last answer; with a trigger at %i s',
    async (slowAfter = 0, trigger = 0) => {
      const { stripe, clock, tell, up } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
      await clock.pass(MINUTE)
      const answeredAt = stripe.asked.at(-1)?.at ?? 0
      stripe.trouble = () => {
        if (clock.now() - answeredAt >= slowAfter * 1_000) clock.advance(4_000)
        return 'resets'
      }
      await clock.pass(trigger * 1_000)
      // From then on, turns come at other times.
      await tell(mount, stripe.redeem('C'))
      while ((await up(mount)) !== null) await clock.pass(250)
      expect(clock.now() - answeredAt).toBeGreaterThanOrEqual(5 * MINUTE)
      expect(clock.now() - answeredAt).toBeLessThanOrEqual(5 * MINUTE + 5_000)
    },
  )

  it('contract T3, R9: an offer with a limit that an undo brought back is down after 5 minutes without an answer', async () => {
    const { stripe, tell, up, clock } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE)
    stripe.trouble = () => 'resets'
    await clock.pass(6 * MINUTE)
    expect(await up(mount)).toBeNull()
    await withdraw(mount, { type: 'coupon' })
    expect((await write(mount, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
    expect(await up(mount)).toBe('Limited')
    await clock.pass(5 * MINUTE + 5_000)
    expect(await up(mount)).toBeNull()
    stripe.trouble = () => undefined
    await clock.pass(31_000)
    expect(await up(mount)).toBe('Limited')
  })

  it('contract T3, R9: so is one that an undo brought back in the place of another coupon’s, as its limit is not known', async () => {
    const { stripe, tell, up, clock } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE)
    await tell(mount, stripe.create({ id: 'D', name: 'In its place' }))
    await clock.pass(MINUTE)
    stripe.trouble = () => 'resets'
    const [replaced] = await historyOf(mount)
    await write(mount, 'POST', { id: replaced?.id }, {}, '/api/events/undo')
    await clock.pass(5 * MINUTE - 5_000)
    expect(await up(mount)).toBe('Limited')
    await clock.pass(10_000)
    expect(await up(mount)).toBeNull()
    stripe.trouble = () => undefined
    await clock.pass(31_000)
    expect(await up(mount)).toBe('Limited')
  })

  it('contract T3: an offer with a limit is down after 5 minutes without an answer, though the clock was set back meanwhile', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE)
    stripe.trouble = () => 'resets'
    clock.set(clock.now() - 60 * MINUTE)
    await clock.pass(4 * MINUTE)
    expect(await up(mount)).toBe('Limited')
    await clock.pass(2 * MINUTE)
    expect(await up(mount)).toBeNull()
  })

  it('contract T3: a coupon that waits behind a newer post is asked about too', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE)
    await publish(mount)
    await clock.pass(MINUTE)
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    await withdraw(mount, { type: 'post' })
    expect(await up(mount)).toBeNull()
  })

  it('contract T3: one without a limit stays, however long Stripe is silent', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Unlimited' }))
    stripe.trouble = () => ({ status: 500 })
    await clock.pass(3 * 60 * MINUTE)
    expect(await up(mount)).toBe('Unlimited')
  })

  it.each<[string, (stage: Stage) => void]>([
    ['away', ({ stripe }) => (stripe.trouble = () => 'resets')],
    ['failing', ({ stripe }) => (stripe.trouble = () => ({ status: 503 }))],
    [
      'overrun',
      ({ stripe }) => (stripe.trouble = () => ({ status: 429, headers: { 'Retry-After': '600' } })),
    ],
    ['refusing a key that is revoked', ({ stripe }) => stripe.keys.clear()],
    ['refusing rights', ({ stripe }) => (stripe.trouble = () => ({ status: 403 }))],
  ])(
    'contract T2, T3: Stripe %s: all goes on, the log says it once, and a limited offer is down after 5 minutes',
    async (_, begin) => {
      const { stripe, clock, tell, up } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
      await clock.pass(1_000)
      begin(stage)
      await clock.pass(5 * MINUTE - 2_000)
      expect(await up(mount)).toBe('Limited')
      expect((await publish(mount)).status).toBe(201)
      expect((await withdraw(mount, { type: 'post' })).status).toBe(200)
      await clock.pass(33_000)
      expect(await up(mount)).toBeNull()
      const other = stripe.create({ id: 'D', name: 'Its own snapshot counts' })
      expect(await tell(mount, other)).toEqual({ outcome: 'published' })
      expect(await up(mount)).toBe('Its own snapshot counts')
      await clock.pass(20 * MINUTE)
      const kinds = warningsOf(mount).map(({ message }) => message)
      expect(kinds.length).toBeLessThanOrEqual(2)
      expect(new Set(kinds).size).toBe(kinds.length)
    },
  )

  it.each([
    [401, 'key_refused'],
    [403, 'right_missing'],
    [500, 'no_answer'],
  ])('contract T3, R8: the history says why there is no answer: %s', async (status, reason) => {
    const { stripe, clock, tell } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    stripe.trouble = () => ({ status })
    await clock.pass(6 * MINUTE)
    expect((await historyOf(mount))[0]).toMatchObject({ action: 'paused', reason })
  })

  it('contract T3: Retry-After is obeyed', async () => {
    const { stripe, clock, tell } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(1_000)
    stripe.trouble = () => ({ status: 429, headers: { 'Retry-After': '120' } })
    await clock.pass(30_500)
    const asked = stripe.asked.length
    await clock.pass(118_000)
    await tell(mount, stripe.redeem('C'))
    expect(stripe.asked).toHaveLength(asked)
    await clock.pass(5_000)
    expect(stripe.asked.length).toBeGreaterThan(asked)
  })

  it.each<[string, number | null, number[]]>([
    ['with a limit, up to 30 s', 100, [7, 14, 28, 30, 30, 30]],
    ['without one, up to 10 min', null, [7, 14, 28, 56, 112, 224, 448, 600, 600]],
  ])(
    'contract T3: while Stripe goes on asking to wait 7 s, each wait is twice as long: an offer %s',
    async (_, maxRedemptions, gaps) => {
      const { stripe, clock, tell } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'C', name: 'Up', maxRedemptions }))
      await clock.pass(5_000)
      stripe.trouble = () => ({ status: 429, headers: { 'Retry-After': '7' } })
      const asked = stripe.asked.length
      await clock.pass(10 * MINUTE + 1_000 * gaps.reduce((sum, gap) => sum + gap))
      const times = stripe.asked.slice(asked).map(({ at }) => at / 1_000)
      const waits = times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)))
      expect(waits.slice(0, gaps.length)).toEqual(gaps)
    },
  )

  it('contract T3: no trigger shortens a wait while Stripe gives no answer, and the first after an answer counts', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 1000 }))
    await clock.pass(5_000)
    stripe.trouble = () => ({ status: 429 })
    const asked = stripe.asked.length
    for (let second = 0; second < 120; second++) {
      await tell(mount, stripe.redeem('C'))
      await clock.pass(1_000)
    }
    // After 0, 1, 3, 7, 15, 31, 61 and 91 s, about the coupon, and as often for what was missed.
    expect(stripe.asked.length - asked).toBeLessThanOrEqual(16)
    stripe.trouble = () => undefined
    await clock.pass(40_000)
    await tell(mount, stripe.redeem('C', 1000))
    await clock.pass(2_000)
    expect(await up(mount)).toBeNull()
  })

  it('contract T3: at most 10 requests in an hour with one unlimited coupon up', async () => {
    const { stripe, clock, tell } = stage
    const began = clock.now()
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Unlimited' }))
    await clock.pass(60 * MINUTE - (clock.now() - began))
    expect(stripe.asked.length).toBeLessThanOrEqual(10)
    const before = stripe.asked.length
    await clock.pass(60 * MINUTE)
    expect(stripe.asked.length - before).toBeLessThanOrEqual(10)
    expect(stripe.asked.length - before).toBeGreaterThanOrEqual(6)
  })

  it('contract T3: with nothing up, Stripe is asked for missed notifications alone, once an hour', async () => {
    const { stripe, clock } = stage
    await stage.start()
    const first = stripe.asked.splice(0)
    expect(first.map(({ path }) => path)).toEqual(['/v1/coupons/placard-doctor', '/v1/events'])
    await clock.pass(5 * 60 * MINUTE)
    expect(stripe.asked.map(({ path }) => path)).toEqual(Array(5).fill('/v1/events'))
  })

  it.each<[string, (path: string) => boolean, RegExp[]]>([
    ['is wrong', () => false, [/^Stripe refuses the key \(401\)/]],
    ['may not read coupons', (path) => !path.includes('coupons'), [/not read coupons \(403\)/]],
    ['may not read events', (path) => !path.includes('events'), [/not read events \(403\)/]],
    ['may read both', () => true, []],
  ])('contract T2: a key that %s: the log says so at the first start', async (_, may, reasons) => {
    const { stripe, clock } = stage
    if (!may('/')) stripe.keys.clear()
    stripe.trouble = (path) => (stripe.keys.size && !may(path) ? { status: 403 } : undefined)
    const mount = await stage.start()
    expect(warningsOf(mount).map(({ fields }) => fields.reason)).toEqual(
      reasons.map((reason) => expect.stringMatching(reason)),
    )
    await clock.pass(59 * MINUTE)
    expect(warningsOf(mount)).toHaveLength(reasons.length)
    await clock.pass(60 * MINUTE)
    expect(warningsOf(mount)).toHaveLength(2 * reasons.length)
  })

  it('contract T1: without a key nothing is asked, and a trigger is only answered', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start({ stripe: undefined })
    await tell(mount, stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 }))
    const answer = await tell(mount, stripe.redeem('FIVE', 5))
    expect(answer).toEqual({ outcome: 'ignored', reason: 'not_a_coupon_notification' })
    await clock.pass(24 * 60 * MINUTE)
    expect(await up(mount)).toBe('The first five')
    expect(stripe.asked).toEqual([])
  })

  it('contract T3: a coupon that is deleted without a notification comes down', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Unlimited' }))
    stripe.remove('C')
    await clock.pass(10 * MINUTE + 1_000)
    expect(await up(mount)).toBeNull()
    expect(await historyOf(mount)).toMatchObject([
      { action: 'withdrawn', reason: 'coupon_deleted' },
      { action: 'published' },
    ])
  })

  it('contract T2: that a coupon of another account or mode is not there says nothing', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const elsewhere = await makeStage()
    const event = elsewhere.stripe.create({ id: 'X', name: 'Elsewhere', maxRedemptions: 2 })
    expect(await tell(mount, { ...event, id: 'evt_of_another_account' })).toEqual({
      outcome: 'published',
    })
    await clock.pass(60 * MINUTE)
    expect(await up(mount)).toBe('Elsewhere')
    expect(warningsOf(mount)).toHaveLength(1)
    stripe.create({ id: 'Y' })
    await elsewhere.close()
  })

  it.each([
    ['stays though Stripe gives no answer for a while', MINUTE, 0],
    ['is back with the next good answer, where there was none at first', 0, MINUTE],
  ])('contract T2, T3: an offer with a limit of another account %s', async (_, known, after) => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const elsewhere = await makeStage()
    const event = elsewhere.stripe.create({ id: 'X', name: 'Elsewhere', maxRedemptions: 100 })
    await elsewhere.close()
    if (!known) stripe.trouble = () => 'resets'
    await tell(mount, { ...event, id: 'evt_of_another_account' })
    await clock.pass(known)
    stripe.trouble = () => 'resets'
    await clock.pass(20 * MINUTE)
    if (after) stripe.trouble = () => undefined
    await clock.pass(after)
    expect(await up(mount)).toBe('Elsewhere')
  })

  it('contract T2: of what placard simulate sends, Stripe is asked about a coupon that is named alone', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const asked = stripe.asked.length
    const made = couponNotification('coupon.created', { name: 'Made up' }, seconds(), madeUpId())
    expect(await tell(mount, made as unknown as StripeEvent)).toEqual({ outcome: 'published' })
    await clock.pass(30 * MINUTE)
    expect(await up(mount)).toBe('Made up')
    expect(stripe.asked).toHaveLength(asked)
    stripe.create({ id: 'C', name: 'In Stripe', maxRedemptions: 100 })
    const named = couponNotification('coupon.created', { coupon: 'C' }, seconds(), madeUpId())
    await tell(mount, named as unknown as StripeEvent)
    expect(await up(mount)).toBe('In Stripe')
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()

    function seconds() {
      return Math.floor(clock.now() / 1_000)
    }
  })

  it.each([
    ['that may list events', () => undefined],
    ['that may not', (path: string) => (/^\/v1\/events/.test(path) ? { status: 403 } : undefined)],
  ])(
    'contract T2: a key of another account %s takes nothing for deleted that the key before it has retrieved',
    async (_, trouble) => {
      await stage.close()
      const path = join(temporaryDirectory(), 'placard.db')
      stage = await makeStage(() => sqliteStore(path))
      const { stripe, clock, tell, up } = stage
      let mount = await stage.start()
      await tell(mount, stripe.create({ id: 'C', name: 'Unlimited' }))
      await clock.pass(20 * MINUTE)
      await mount.close()
      const elsewhere = await makeStage()
      const apiKey = `${KEY}elsewhere`
      elsewhere.stripe.keys.add(apiKey)
      elsewhere.stripe.trouble = trouble
      mount = await stage.start({ stripe: { apiKey, apiUrl: elsewhere.stripe.url } })
      await clock.pass(60 * MINUTE)
      expect(elsewhere.stripe.asked.map((one) => one.path)).toContain('/v1/coupons/C')
      expect(await up(mount)).toBe('Unlimited')
      await mount.close()
      await elsewhere.close()
    },
  )

  it('contract T3: the pause is of that announcement alone: what a person does since shows, and stays', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const pause = async (id: string) => {
      await tell(mount, stripe.create({ id, name: 'Limited', maxRedemptions: 100 }))
      stripe.trouble = () => 'resets'
      await clock.pass(6 * MINUTE)
      expect(await up(mount)).toBeNull()
    }
    const answer = async () => {
      stripe.trouble = () => undefined
      await clock.pass(2 * MINUTE)
      return up(mount)
    }
    await pause('A')
    expect(await (await withdraw(mount, { type: 'coupon' })).json()).toMatchObject({ deleted: 1 })
    expect(await answer()).toBeNull()

    await pause('B')
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'By hand' })
    expect(await up(mount)).toBe('By hand')
    expect(await answer()).toBe('By hand')

    await pause('C')
    await publish(mount, {
      ...DRAFT,
      type: 'coupon',
      text: 'Starts',
      startsAt: clock.now() + MINUTE,
    })
    await clock.pass(MINUTE)
    expect(await up(mount)).toBe('Starts')
    expect(await answer()).toBe('Starts')

    await pause('D')
    await withdraw(mount, { type: 'post' })
    const at = await mount.fetch(`/api/events/scheduled?at=${clock.now() + MINUTE}`, bearer(mount))
    expect(await at.json()).toEqual({ event: null })
    expect(await answer()).toBe('Limited')
  })

  it('contract R8, R9: a pause can not be undone, is passed over by an undo, and makes no other entry changed since', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'A', name: 'Before it' }))
    await clock.pass(2_000)
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    stripe.trouble = () => 'resets'
    await clock.pass(6 * MINUTE)
    const [paused, put] = await historyOf(mount)
    expect(paused).toMatchObject({ action: 'paused', undo: 'not_undoable', by: { coupon: 'C' } })
    expect(paused?.before).toEqual(paused?.after)
    expect(put).toMatchObject({ action: 'replaced', undo: 'possible' })
    const id = { id: paused?.id }
    expect((await write(mount, 'POST', id, {}, '/api/events/undo')).status).toBe(409)
    expect((await write(mount, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
    expect(await up(mount)).toBe('Before it')
  })

  it('contract R7, T3: the slots say since when there is no answer, and a service without a key shows it again', async () => {
    await stage.close()
    const path = join(temporaryDirectory(), 'placard.db')
    stage = await makeStage(() => sqliteStore(path))
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE)
    const answeredAt = String(stripe.asked.at(-1)?.at)
    stripe.trouble = () => 'resets'
    const slots = async (one: DirectMount) =>
      (await (await one.fetch('/api/events/slots', bearer(one))).json()).events
    expect((await slots(mount))[0]).not.toHaveProperty('pausedSince')
    await clock.pass(6 * MINUTE)
    expect(await slots(mount)).toMatchObject([{ coupon: 'C', pausedSince: answeredAt }])
    const visitor = visitorOf(mount.placard)
    await visitor.signIn(mount)
    const admin = await (await visitor.get('/admin')).text()
    expect(admin).toMatch(/Paused: Stripe hasn’t answered since\s*<time/)
    expect(await (await visitor.get('/admin/history')).text()).toContain('Paused')
    await mount.close()
    const without = await stage.start({ stripe: undefined })
    expect(await up(without)).toBe('Limited')
    expect((await historyOf(without))[0]).toMatchObject({ action: 'resumed' })
  })

  it('contract T3, R9: what Stripe has said of an offer that was down counts for an undo while it is silent again', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    stripe.trouble = () => 'resets'
    await clock.pass(6 * MINUTE)
    stripe.redeem('C', 100)
    stripe.trouble = () => undefined
    await clock.pass(MINUTE)
    expect(await up(mount)).toBeNull()
    const down = (await historyOf(mount)).find(({ action }) => action === 'withdrawn')
    stripe.trouble = () => 'resets'
    const undone = await write(mount, 'POST', { id: down?.id }, {}, '/api/events/undo')
    expect(await undone.json()).toMatchObject({ reason: 'coupon_used_up' })
    expect(await up(mount)).toBeNull()
  })

  it.each<[string, string | null, (stage: Stage, mount: DirectMount) => Promise<unknown>]>([
    // A deletion takes down any announcement of the type (spec 6).
    ['is deleted', null, ({ stripe, tell }, mount) => tell(mount, stripe.remove('OTHER'))],
    [
      'comes that is sold out already',
      'Limited',
      ({ stripe, tell }, mount) =>
        tell(mount, stripe.create({ id: 'NEW', maxRedemptions: 1, timesRedeemed: 1 })),
    ],
    [
      'came that nobody heard of, and has ended since',
      null,
      async ({ stripe, clock }) => {
        stripe.create({ id: 'NEW', redeemBy: Math.floor(clock.now() / 1000) + 60 })
        await clock.pass(2 * MINUTE)
      },
    ],
  ])(
    'contract T3, W5, W6: while an offer is down for the silence, another %s: what is up then is %s',
    async (_, then, happen) => {
      const { stripe, clock, tell, up } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'OTHER', name: 'Other' }))
      await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
      stripe.trouble = () => 'resets'
      await clock.pass(6 * MINUTE)
      expect(await up(mount)).toBeNull()
      await happen(stage, mount)
      stripe.trouble = () => undefined
      await clock.pass(2 * MINUTE)
      expect(await up(mount)).toBe(then)
    },
  )

  it('contract A18, T4: another wording of a coupon decides nothing about it, so its deletion takes it down', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Ten of' }))
    await clock.pass(MINUTE)
    stripe.trouble = () => ({ status: 401 })
    const deletion = stripe.remove('C')
    await clock.pass(20_000)
    const shown = await current(mount)
    const body = { text: 'Ten off', type: 'coupon', slug: '#coupon' }
    const edited = await write(mount, 'PUT', body, {}, `/api/events/${shown?.id}`)
    expect(edited.status).toBe(200)
    await clock.pass(20_000)
    expect(await tell(mount, deletion)).toMatchObject({ outcome: 'withdrawn' })
    expect(await up(mount)).toBeNull()
  })

  it('contract T3: a deletion while its offer is down keeps it down', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    stripe.trouble = () => 'resets'
    await clock.pass(6 * MINUTE)
    await tell(mount, stripe.remove('C'))
    stripe.create({ id: 'C', maxRedemptions: 5 })
    stripe.events.at(-1)
    stripe.trouble = (path) => (path === '/v1/events' ? { status: 403 } : undefined)
    await clock.pass(2 * MINUTE)
    expect(await up(mount)).toBeNull()
  })

  it('contract T3: a restart goes on with what was down, and with how long Stripe has been silent', async () => {
    await stage.close()
    const path = join(temporaryDirectory(), 'placard.db')
    stage = await makeStage(() => sqliteStore(path))
    const { stripe, clock, tell, up } = stage
    let mount = await stage.start()
    const again = async () => {
      await mount.close()
      mount = await stage.start()
    }
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(MINUTE)
    stripe.trouble = () => 'resets'
    await clock.pass(4 * MINUTE)
    await again()
    expect(await up(mount)).toBe('Limited')
    await clock.pass(MINUTE)
    expect(await up(mount)).toBeNull()
    await again()
    stripe.trouble = () => undefined
    await clock.pass(31_000)
    expect(await up(mount)).toBe('Limited')
  })

  it('contract T3: a restart obeys what Stripe has asked the process before', async () => {
    await stage.close()
    const path = join(temporaryDirectory(), 'placard.db')
    stage = await makeStage(() => sqliteStore(path))
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    await clock.pass(5_000)
    stripe.trouble = () => ({ status: 429, headers: { 'Retry-After': '600' } })
    await clock.pass(30_000)
    const asked = stripe.asked.length
    await mount.close()
    const options = { stripe: { apiKey: KEY, apiUrl: stripe.url } }
    const fresh = makePlacard(sqliteStore(path), options, clock)
    await tell(fresh, stripe.edit('C', { name: 'Limited' }))
    expect(stripe.asked).toHaveLength(asked)
    await fresh.close()
    const other = await stage.start()
    stripe.trouble = () => undefined
    await tell(other, stripe.redeem('C'))
    await clock.pass(5 * MINUTE)
    expect(await up(other)).toBeNull()
    await clock.pass(2 * MINUTE)
    expect(stripe.asked).toHaveLength(asked)
    await clock.pass(3 * MINUTE)
    expect(await up(other)).toBe('Limited')
  })
})

describe('triggers', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await makeStage()
  })
  afterEach(() => stage.close())

  it('contract T2: what the checkout refuses by now is not put up, though its notification says otherwise', async () => {
    const { stripe, tell, up } = stage
    const mount = await stage.start()
    const soldOut = stripe.create({ id: 'C', name: 'Sold out', maxRedemptions: 5 })
    stripe.redeem('C', 5)
    expect(await tell(mount, soldOut)).toEqual({ outcome: 'ignored', reason: 'coupon_used_up' })
    const deleted = stripe.create({ id: 'D', name: 'Deleted' })
    stripe.remove('D')
    expect(await tell(mount, deleted)).toEqual({ outcome: 'ignored', reason: 'coupon_deleted' })
    expect(await up(mount)).toBeNull()
    expect(await historyOf(mount)).toMatchObject([
      { action: 'ignored', reason: 'coupon_deleted' },
      { action: 'ignored', reason: 'coupon_used_up' },
    ])
  })

  it('contract T2: it ends as it would have in order: a refused offer replaces what was up before it', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'B', name: 'Before it' }))
    await clock.pass(5_000)
    const soldOut = stripe.create({ id: 'C', name: 'Sold out', maxRedemptions: 5 })
    stripe.redeem('C', 5)
    await tell(mount, soldOut)
    expect(await up(mount)).toBeNull()
    const [down] = await historyOf(mount)
    const before = { text: 'Before it' }
    expect(down).toMatchObject({ before, reason: 'coupon_used_up' })
  })

  it.each(['answering', 'silent'])(
    'contract T2: nor is one that expired before its notification came, with Stripe %s',
    async (how) => {
      const { stripe, clock, tell, up } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'B', name: 'Before it' }))
      await clock.pass(5_000)
      const redeemBy = Math.floor(clock.now() / 1000) + 60
      const expired = stripe.create({ id: 'C', name: 'For a minute', redeemBy })
      await clock.pass(120_000)
      if (how === 'silent') stripe.trouble = () => 'resets'
      expect(await tell(mount, expired)).toEqual({ outcome: 'withdrawn' })
      expect(await up(mount)).toBeNull()
      const by = { coupon: 'C', event: 'coupon.created' }
      const before = { coupon: 'B' }
      expect((await historyOf(mount))[0]).toMatchObject({ by, before, reason: 'coupon_expired' })
    },
  )

  it('contract T2, W6: it replaces what a person put up before it, even if it comes after the end of its offer', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'By hand' })
    await clock.pass(5_000)
    const late = stripe.create({ id: 'C', name: 'Late', maxRedemptions: 5 })
    stripe.redeem('C', 5)
    await clock.pass(5_000)
    await tell(mount, stripe.edit('C', { name: 'Renamed when it was sold out' }))
    expect(await up(mount)).toBe('By hand')
    expect(await tell(mount, late)).toEqual({ outcome: 'withdrawn' })
    expect(await up(mount)).toBeNull()
  })

  it('contract T2: the coupon counts as it is while it is featured, else as the notification has it', async () => {
    const { stripe, tell, up } = stage
    const mount = await stage.start()
    const created = stripe.create({ id: 'C', name: 'First name' })
    stripe.edit('C', { name: 'Second name' })
    await tell(mount, created)
    expect(await up(mount)).toBe('Second name')
    const third = stripe.edit('C', { name: 'Third name' })
    stripe.edit('C', { name: 'Not for a page', metadata: NOT_FEATURED })
    await tell(mount, third)
    expect(await up(mount)).toBe('Third name')
  })

  it.each(VERSIONS)('contract T2, T5: reads what version %s of the API says', async (version) => {
    const { stripe, tell, up } = stage
    stripe.version = version
    const mount = await stage.start()
    const metadata = { ...FEATURED, placard_text: 'In version', placard_link: '/pricing' }
    await tell(mount, stripe.create({ id: 'C', metadata, maxRedemptions: 2 }))
    expect(await up(mount)).toBe('In version')
    await tell(mount, stripe.redeem('C', 2))
    await stage.clock.pass(2_000)
    expect(await up(mount)).toBeNull()
  })

  it.each(['hangs', 'trickles'] as const)(
    'contract T2: while Stripe %s, a notification waits 2 s at most, and a read and a write for nothing',
    async (trouble) => {
      const { stripe, up } = stage
      const mount = await stage.start()
      stripe.trouble = () => trouble
      const started = performance.now()
      const answer = notify(mount, stripe.create({ id: 'C', name: 'Hanging' }))
      expect((await publish(mount)).status).toBe(201)
      expect(await up(mount)).toBe(DRAFT.text)
      expect(performance.now() - started).toBeLessThan(1_000)
      expect(await (await answer).json()).toMatchObject({ outcome: 'published' })
      expect(performance.now() - started).toBeLessThan(3_000)
      expect(warningsOf(mount)).toMatchObject([
        { message: expect.stringContaining('no answer from Stripe') },
      ])
    },
  )

  it('contract T2: a stop does not wait for Stripe, and blames nobody', async () => {
    const { stripe } = stage
    const mount = await stage.start()
    stripe.trouble = () => 'hangs'
    const asked = stripe.asked.length
    const answer = notify(mount, stripe.create({ id: 'C', name: 'Hanging' }))
    await vi.waitFor(() => expect(stripe.asked.length).toBeGreaterThan(asked))
    const stopped = performance.now()
    await mount.close()
    expect((await answer).status).toBe(503)
    expect(performance.now() - stopped).toBeLessThan(1_000)
    expect(JSON.stringify(mount.log.lines)).not.toContain('no answer from Stripe')
    const before = stripe.asked.length
    await stage.clock.pass(60 * MINUTE)
    expect(stripe.asked).toHaveLength(before)
  })

  it('contract T2, T4: what a person decided after it happened stands', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const late = stripe.create({ id: 'C', name: 'Late' })
    await clock.pass(10_000)
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'By hand' })
    await clock.pass(10_000)
    expect(await tell(mount, late)).toEqual({ outcome: 'ignored', reason: 'stale' })
    expect(await up(mount)).toBe('By hand')
    await tell(mount, stripe.edit('C', { name: 'Since then' }))
    expect(await up(mount)).toBe('Since then')
  })

  it.each([
    ['publishes', 'By hand'],
    ['withdraws', null],
  ])(
    'contract T2: what a person %s while Stripe is asked about a notification stands',
    async (_, text) => {
      const { stripe, clock, up, tell } = stage
      const mount = await stage.start()
      await tell(mount, stripe.create({ id: 'B', name: 'Before it' }))
      await clock.pass(10_000)
      stripe.latency = () => 200
      const asked = stripe.asked.length
      const answer = notify(mount, stripe.create({ id: 'C', name: 'By Stripe' }))
      await vi.waitFor(() => expect(stripe.asked.length).toBeGreaterThan(asked), { interval: 5 })
      // In the same second, by Stripe's clock.
      clock.advance(200)
      if (text === null) await withdraw(mount, { type: 'coupon' })
      else await publish(mount, { ...DRAFT, type: 'coupon', text })
      expect(await (await answer).json()).toMatchObject({ outcome: 'ignored', reason: 'stale' })
      expect(await up(mount)).toBe(text)
      await clock.pass(60_000)
      expect(await up(mount)).toBe(text)
    },
  )

  it('contract T2, A9: an end is no decision, so what happened before it counts', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const expiresAt = clock.now() + 20_000
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'By hand', expiresAt })
    await clock.pass(10_000)
    const late = stripe.create({ id: 'C', name: 'Late' })
    await clock.pass(15_000)
    expect(await tell(mount, late)).toEqual({ outcome: 'published' })
    expect(await up(mount)).toBe('Late')
  })
})

const bearer = (mount: DirectMount) => ({
  headers: { Authorization: `Bearer ${mount.apiSecret}` },
})

function warningsOf(mount: DirectMount) {
  return mount.log.lines.filter(({ level }) => level !== 'info')
}
