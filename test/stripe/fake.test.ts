import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeStripe, KEY, startFakeStripe } from './fake.ts'

const NOW = Date.UTC(2027, 0, 1)

/** The fake answers Stripe's own package as Stripe would, so what is tested against it holds for more than itself. */
describe('the fake Stripe, asked by the official package', () => {
  let now = NOW
  let fake: FakeStripe
  let client: Stripe
  beforeEach(async () => {
    now = NOW
    fake = await startFakeStripe(() => now)
    const { hostname, port } = new URL(fake.url)
    client = new Stripe(KEY, { protocol: 'http', host: hostname, port, maxNetworkRetries: 0 })
  })
  afterEach(() => fake.close())

  it('counts redemptions until a coupon is no longer valid, and knows none that is deleted', async () => {
    const { coupons } = client
    fake.create({ id: 'FIVE', name: 'The first', maxRedemptions: 5 })
    expect(await coupons.retrieve('FIVE')).toMatchObject({ valid: true, times_redeemed: 0 })
    fake.redeem('FIVE', 5)
    const used = { valid: false, times_redeemed: 5, max_redemptions: 5 }
    expect(await coupons.retrieve('FIVE')).toMatchObject(used)
    expect(fake.remove('FIVE').data.object).toMatchObject({ id: 'FIVE', name: 'The first' })
    const missing = { type: 'StripeInvalidRequestError', code: 'resource_missing', statusCode: 404 }
    await expect(coupons.retrieve('FIVE')).rejects.toMatchObject(missing)
  })

  it('lists events newest first, by type and time, in pages', async () => {
    const { events } = client
    for (let i = 0; i < 250; i++) {
      now += 1_000
      fake.create({ id: `C${i}` })
      fake.redeem(`C${i}`)
    }
    const found = []
    const types = ['coupon.created', 'coupon.deleted'] as const
    const created = { gte: NOW / 1000 + 11 }
    for await (const event of events.list({ types: [...types], created, limit: 100 })) {
      found.push(event)
    }
    expect(found).toHaveLength(240)
    expect(found[0]).toMatchObject({ created: NOW / 1000 + 250, type: 'coupon.created' })
    expect(fake.asked).toHaveLength(3)
    expect(await events.retrieve(found[0]?.id ?? '')).toMatchObject({ id: found[0]?.id })
  })
})
