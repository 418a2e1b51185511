import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeStage, type Stage } from './stage.ts'

const MINUTE = 60_000
const OTHER = JSON.stringify({ id: 'OTHER', object: 'coupon', valid: true })

describe('what answers in the place of Stripe', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await makeStage()
  })
  afterEach(() => stage.close())

  const limited = async () => {
    const mount = await stage.start()
    const event = stage.stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 })
    await stage.tell(mount, event)
    await stage.clock.pass(MINUTE)
    return mount
  }

  it.each([
    '',
    '<html>',
    '"ok"',
    'true',
    'null',
    '[]',
    '{}',
    '{"data":7}',
    '{"data":[null],"has_more":false}',
    '{"data":[{}],"has_more":true}',
    OTHER,
  ])(
    'contract T3: %s is no answer, whatever was asked: a limited offer is down after 5 minutes, and not back by it',
    async (body) => {
      const { stripe, clock, up } = stage
      const mount = await limited()
      stripe.trouble = () => ({ status: 200, body })
      await clock.pass(4 * MINUTE)
      expect(await up(mount)).toBe('Limited')
      await clock.pass(MINUTE + 1_000)
      expect(await up(mount)).toBeNull()
      await clock.pass(15 * MINUTE)
      expect(await up(mount)).toBeNull()
      stripe.trouble = () => undefined
      await clock.pass(31_000)
      expect(await up(mount)).toBe('Limited')
    },
  )

  it.each(['{}', OTHER])('contract T3: %s for a coupon takes away no limit', async (body) => {
    const { stripe, clock, up } = stage
    const mount = await limited()
    stripe.trouble = (path) => (path === '/v1/coupons/C' ? { status: 200, body } : undefined)
    await clock.pass(31_000)
    stripe.trouble = () => undefined
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()
  })

  it('contract T2: {} for an event does not say that the coupon is of this account', async () => {
    const { stripe, tell, up } = stage
    const mount = await stage.start()
    const event = stripe.create({ id: 'C', name: 'Of another account' })
    stripe.trouble = (path) =>
      path === '/v1/coupons/C' ? { status: 404 } : { status: 200, body: '{}' }
    expect(await tell(mount, event)).toEqual({ outcome: 'published' })
    expect(await up(mount)).toBe('Of another account')
  })

  it('contract T3, T4: 404 for the list of events alone: what stands is asked about all the same', async () => {
    const { stripe, clock, up } = stage
    const mount = await limited()
    stripe.trouble = (path) => (path === '/v1/events' ? { status: 404 } : undefined)
    await clock.pass(60 * MINUTE)
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()
  })
})
