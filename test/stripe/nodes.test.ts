import { expect, it } from 'vitest'
import { current, notify } from '../harness.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { running } from '../running.ts'
import { soon } from '../soon.ts'
import { KEY, startFakeStripe } from './fake.ts'

it('contract T2, T3: a trigger at one of two services takes a sold-out offer down on both, in two requests at most', async () => {
  const stripe = await startFakeStripe(Date.now)
  const environment = {
    DATABASE_URL: await emptyDatabase(),
    STRIPE_API_KEY: KEY,
    STRIPE_API_URL: stripe.url,
  }
  const [one, two] = [await running(environment), await running(environment)]
  const shown = async () => [await current(one), await current(two)].map((event) => event?.text)
  await notify(one, stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 }))
  await soon(async () => expect(await shown()).toEqual(['The first five', 'The first five']))
  // One of the services has checked the coupon, and neither checks it again for 30 s.
  const checks = () => stripe.asked.filter(({ path }) => path === '/v1/coupons/FIVE')
  await soon(() => expect(checks().length).toBeGreaterThan(1))
  const asked = checks().length
  const sale = stripe.redeem('FIVE', 5)
  await notify(two, sale)
  await soon(async () => expect(await shown()).toEqual([undefined, undefined]))
  expect(checks().length - asked).toBeLessThanOrEqual(2)
  for (const { logged } of [one, two]) expect(logged()).not.toContain(KEY)
  await Promise.all([one.close(), two.close()])
  await stripe.close()
})
