import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { KEY, startFakeStripe } from './fake.ts'

it('the fake Stripe answers requests from the official `stripe` package as Stripe does', async () => {
  let second = Date.UTC(2027, 0, 1) / 1_000
  const created = { gte: second + 11 }
  const fake = await startFakeStripe(() => second * 1_000)
  const { hostname: host, port } = new URL(fake.url)
  const at = { protocol: 'http', host, port, maxNetworkRetries: 0 } as const
  const { coupons, events } = new Stripe(KEY, at)
  for (let id = 1; id <= 250; id++) {
    second++
    fake.create({ id: `C${id}`, maxRedemptions: 5 })
    fake.redeem(`C${id}`, 5)
  }
  const pages = events.list({ types: ['coupon.created', 'coupon.deleted'], created, limit: 100 })
  const found = await pages.autoPagingToArray({ limit: 1_000 })
  expect(found).toHaveLength(240)
  expect(found[0]).toMatchObject({ created: second, type: 'coupon.created' })
  expect(fake.asked).toHaveLength(3)
  expect(await events.retrieve(String(found[0]?.id))).toMatchObject({ id: found[0]?.id })

  const used = { valid: false, times_redeemed: 5, max_redemptions: 5 }
  expect(await coupons.retrieve('C1')).toMatchObject(used)
  expect(fake.remove('C1').data.object).toMatchObject({ id: 'C1', ...used })
  const missing = { type: 'StripeInvalidRequestError', code: 'resource_missing', statusCode: 404 }
  await expect(coupons.retrieve('C1')).rejects.toMatchObject(missing)
  await fake.close()
})
