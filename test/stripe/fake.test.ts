import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeStripe, KEY, NOT_FEATURED, startFakeStripe } from './fake.ts'
import { VERSIONS } from './shapes.ts'

const NOW = Date.UTC(2027, 0, 1)

/** The fake answers Stripe's own package as Stripe would, so what is tested against it holds for more than itself. */
describe('the fake Stripe, asked by the official package', () => {
  let now = NOW
  let fake: FakeStripe
  let stripe: Stripe
  const clientWith = (key: string) => {
    const { hostname, port } = new URL(fake.url)
    return new Stripe(key, { protocol: 'http', host: hostname, port, maxNetworkRetries: 0 })
  }
  beforeEach(async () => {
    now = NOW
    fake = await startFakeStripe(() => now)
    stripe = clientWith(KEY)
  })
  afterEach(() => fake.close())

  it('counts redemptions, and a coupon that is used up is no longer valid', async () => {
    fake.create({ id: 'FIVE', maxRedemptions: 5 })
    expect(await stripe.coupons.retrieve('FIVE')).toMatchObject({ valid: true, times_redeemed: 0 })
    fake.redeem('FIVE', 5)
    expect(await stripe.coupons.retrieve('FIVE')).toMatchObject({
      valid: false,
      times_redeemed: 5,
      max_redemptions: 5,
    })
  })

  it('knows no coupon that is deleted, and its notification has the coupon as it was', async () => {
    fake.create({ id: 'GONE', name: 'Once there' })
    const { data } = fake.remove('GONE')
    expect(data.object).toMatchObject({ id: 'GONE', name: 'Once there' })
    await expect(stripe.coupons.retrieve('GONE')).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      code: 'resource_missing',
      statusCode: 404,
    })
  })

  it('lists events newest first, by type and time, in pages', async () => {
    for (let i = 0; i < 250; i++) {
      now += 1_000
      fake.create({ id: `C${i}` })
      fake.redeem(`C${i}`)
    }
    const found = []
    const list = stripe.events.list({
      types: ['coupon.created', 'coupon.deleted'],
      created: { gte: NOW / 1000 + 11 },
      limit: 100,
    })
    for await (const event of list) found.push(event)
    expect(found).toHaveLength(240)
    expect(found[0]).toMatchObject({ created: NOW / 1000 + 250, type: 'coupon.created' })
    expect(fake.asked).toHaveLength(3)
    expect(await stripe.events.retrieve(found[0]?.id ?? '')).toMatchObject({ id: found[0]?.id })
  })

  it.each(VERSIONS)('writes notifications as version %s of the API does', (version) => {
    fake.version = version
    fake.create({ id: 'HALF', percentOff: 25.5 })
    const event = fake.edit('HALF', { metadata: NOT_FEATURED })
    expect(event).toMatchObject({ api_version: version, type: 'coupon.updated' })
    const old = version === '2017-04-06'
    expect(typeof event.request).toBe(old ? 'string' : 'object')
    expect(event.data.object).toMatchObject({ percent_off: old ? 25 : 25.5, metadata: {} })
    expect(event.data.previous_attributes).toEqual({ metadata: { isFeatured: 'true' } })
  })

  it('refuses unknown keys, and everything else that it is told to', async () => {
    const ask = (client = stripe) => client.events.list({ types: ['coupon.created'] })
    await expect(ask(clientWith('rk_test_unknown'))).rejects.toMatchObject({ statusCode: 401 })
    fake.trouble = () => ({ status: 429, headers: { 'Retry-After': '7' } })
    await expect(ask()).rejects.toMatchObject({
      type: 'StripeRateLimitError',
      headers: { 'retry-after': '7' },
    })
    fake.trouble = (path) => (path === '/v1/events' ? 'resets' : undefined)
    await expect(ask()).rejects.toMatchObject({ type: 'StripeConnectionError' })
    fake.trouble = () => undefined
    expect((await ask()).data).toEqual([])
  })
})
