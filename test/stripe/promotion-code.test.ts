import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkKey } from '../../src/cli/doctor/stripe.ts'
import type { DirectMount } from '../harness.ts'
import { FEATURED } from './fake.ts'
import { historyOf } from './history.ts'
import { VERSIONS } from './shapes.ts'
import { makeStage, type Stage } from './stage.ts'

const MINUTE = 60_000
const metadata = { ...FEATURED, placard_code: 'SALE' }

describe('a coupon that names its promotion code', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await makeStage()
  })
  afterEach(() => stage.close())

  /** A node with the coupon up. */
  async function announced(parts: Parameters<Stage['stripe']['createCode']>[2] = {}) {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const event = stripe.create({ id: 'C', name: 'With a code', metadata })
    stripe.createCode('C', 'Sale', { id: 'promo', ...parts })
    expect(await tell(mount, event)).toEqual({ outcome: 'published' })
    await clock.pass(2_000)
    expect(await up(mount)).toBe('With a code')
    return mount
  }

  const warnings = ({ log }: DirectMount) => log.lines.filter(({ level }) => level !== 'info')

  it.each(VERSIONS)(
    'contract T7: used up, with a trigger: it is down within 2 s; version %s',
    async (version) => {
      const { stripe, clock, tell, up } = stage
      stripe.version = version
      const mount = await announced({ maxRedemptions: 100 })
      const sold = stripe.editCode('promo', { timesRedeemed: 100 })
      expect(await tell(mount, sold)).toEqual({ outcome: 'ignored', reason: 'trigger' })
      await clock.pass(2_000)
      expect(await up(mount)).toBeNull()
      expect((await historyOf(mount))[0]).toMatchObject({
        action: 'withdrawn',
        by: { via: 'stripe', coupon: 'C' },
        reason: 'code_used_up',
      })
    },
  )

  it.each([
    ['a tenth or less was left', 90, 7_000],
    ['more was left', 89, 32_000],
  ])('contract T7: used up, without a trigger, when %s', async (_, sold, bound) => {
    const { stripe, clock, up } = stage
    const mount = await announced({ maxRedemptions: 100 })
    stripe.editCode('promo', { timesRedeemed: sold })
    await clock.pass(31_000)
    expect(await up(mount)).toBe('With a code')
    stripe.editCode('promo', { timesRedeemed: 100 })
    await clock.pass(bound)
    expect(await up(mount)).toBeNull()
  })

  it('contract T7: its end counts if it is earlier, even one that was set since', async () => {
    const { stripe, clock, up } = stage
    const second = Math.floor(stage.clock.now() / 1_000)
    const mount = await announced({ expiresAt: second + 60 })
    await clock.pass(MINUTE)
    expect(await up(mount)).toBeNull()
    const other = await announced()
    stripe.editCode('promo', { expiresAt: Math.floor(clock.now() / 1_000) + 15 * 60 })
    await clock.pass(15 * MINUTE - 5_000)
    expect(await up(other)).toBe('With a code')
    await clock.pass(7_000)
    expect(await up(other)).toBeNull()
  })

  it.each([
    ['inactive', { active: false }, 'code_inactive'],
    ['used up', { maxRedemptions: 1, timesRedeemed: 1 }, 'code_used_up'],
    ['expired', { expiresAt: 1 }, 'code_expired'],
  ])('contract T7: one that is %s keeps its coupon down', async (_, parts, reason) => {
    const { stripe, tell, up } = stage
    const mount = await stage.start()
    const event = stripe.create({ id: 'C', name: 'With a code', metadata })
    stripe.createCode('C', 'SALE', parts)
    expect(await tell(mount, event)).toEqual({ outcome: 'ignored', reason })
    expect(await up(mount)).toBeNull()
  })

  it('contract T7: of several the active one counts, and one for a customer counts as none, with a warning', async () => {
    const { stripe, tell, up } = stage
    const mount = await stage.start()
    const event = stripe.create({ id: 'C', name: 'With a code', metadata })
    stripe.createCode('C', 'SALE', { active: false, customer: 'cus_1' })
    expect(await tell(mount, event)).toEqual({ outcome: 'published' })
    const faults = [expect.stringContaining('placard_code names no promotion code of this coupon')]
    expect(warnings(mount)).toMatchObject([{ fields: { coupon: 'C', faults } }])
    stripe.createCode('C', 'sale')
    stripe.createCode('C', 'SALE', { active: false })
    expect(await tell(mount, stripe.edit('C', { name: 'Still there' }))).toEqual({
      outcome: 'published',
    })
    expect(await up(mount)).toBe('Still there')
    expect(warnings(mount)).toHaveLength(1)
  })

  it('contract T7: without the right to read promotion codes the coupon is judged alone, with a warning, and the doctor fails', async () => {
    const { stripe, clock, up } = stage
    stripe.trouble = (path) => (path.includes('promotion_codes') ? { status: 403 } : undefined)
    const mount = await announced({ maxRedemptions: 1, timesRedeemed: 1 })
    await clock.pass(50 * MINUTE)
    expect(await up(mount)).toBe('With a code')
    expect(warnings(mount)).toMatchObject([
      { fields: { reason: expect.stringContaining('promotion codes (403)') } },
    ])
    const headers = { Authorization: `Bearer ${mount.apiSecret}` }
    const facts = await (await mount.fetch('/api/doctor?stripe', { headers })).json()
    expect(facts.stripe).toMatchObject({ codes: { result: 'denied' } })
    expect(checkKey(facts)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('promotion codes'),
    })
    stripe.redeem('C')
    stripe.remove('C')
    await clock.pass(11 * MINUTE)
    expect(await up(mount)).toBeNull()
  })

  it('contract T7, T3: while it can not be asked about, an offer with a limit is paused after 5 minutes', async () => {
    const { stripe, clock, up } = stage
    const mount = await announced({ maxRedemptions: 100 })
    stripe.trouble = (path) => (path.includes('promotion_codes') ? { status: 500 } : undefined)
    await clock.pass(5 * MINUTE + 5_000)
    expect(await up(mount)).toBeNull()
    stripe.trouble = () => undefined
    await clock.pass(31_000)
    expect(await up(mount)).toBe('With a code')
  })

  it('contract T1, T7: without a key it is known, and means nothing', async () => {
    const { stripe, tell, up } = stage
    const mount = await stage.start({ stripe: undefined })
    const event = stripe.create({ id: 'C', name: 'With a code', metadata })
    stripe.createCode('C', 'SALE', { active: false })
    expect(await tell(mount, event)).toEqual({ outcome: 'published' })
    expect(await up(mount)).toBe('With a code')
    expect(warnings(mount)).toEqual([])
  })

  it.each([
    ['without a limit', null, 8, 14],
    ['with a limit', 1_000, 125, 250],
  ])(
    'contract T3, T7: requests in an hour, %s: at most %i + code',
    async (_, max, plain, coded) => {
      const { stripe, clock, tell } = stage
      const mount = await announced({ maxRedemptions: max })
      let asked = stripe.asked.length
      await clock.pass(60 * MINUTE)
      expect(stripe.asked.length - asked).toBeLessThanOrEqual(coded)
      await tell(mount, stripe.create({ id: 'PLAIN', name: 'Without a code', maxRedemptions: max }))
      asked = stripe.asked.length
      await clock.pass(60 * MINUTE)
      expect(stripe.asked.length - asked).toBeLessThanOrEqual(plain)
    },
  )

  it('contract T3: none is asked by anybody before the date that Retry-After names, through a restart', async () => {
    const { stripe, clock, tell } = stage
    const mount = await announced({ maxRedemptions: 100 })
    const until = clock.now() + 40 * MINUTE
    const headers = { 'Retry-After': new Date(until).toUTCString() }
    stripe.trouble = () => ({ status: 429, headers })
    await clock.pass(31_000)
    stripe.trouble = () => undefined
    const asked = stripe.asked.length
    while (clock.now() < until - 3_000) {
      await tell(mount, stripe.redeem('C'))
      await tell(mount, stripe.edit('C', { name: `At ${clock.now()}` }))
      await clock.pass(2 * MINUTE - 1_000 < until - clock.now() ? 2 * MINUTE - 1_000 : 1_000)
    }
    expect(stripe.asked).toHaveLength(asked)
    await clock.pass(40_000)
    expect(stripe.asked.length).toBeGreaterThan(asked)
  })
})
