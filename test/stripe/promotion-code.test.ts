import { expect, it } from 'vitest'
import { checkKey } from '../../src/cli/doctor/stripe.ts'
import { readOwned } from '../harness.ts'
import { FEATURED } from './fake.ts'
import { VERSIONS } from './shapes.ts'
import { MINUTE, type Stage, stageForEach } from './stage.ts'

/** Coupons whose metadata names a promotion code. */

const stage = stageForEach()
const { stripe, clock } = stage
const OFFER = {
  id: 'C',
  name: 'Not for a page',
  metadata: { ...FEATURED, placard_code: 'SALE', placard_text: 'With a code' },
}
const up = () => stage.up()

type Code = Parameters<Stage['stripe']['createCode']>[2]

/** Starts a node on which the coupon is live. */
async function announced(parts: Code = {}) {
  const mount = await stage.start()
  const event = stripe.create(OFFER)
  stripe.createCode('C', 'Sale', { id: 'promo', ...parts })
  expect(await stage.tell(event)).toEqual({ outcome: 'published' })
  await clock.pass(2_000)
  expect(await up()).toBe('With a code')
  return mount
}
const inSeconds = (seconds: number) => Math.floor(clock.now() / 1_000) + seconds

it.each(VERSIONS)(
  'contract T2, T5, T7: after a trigger, an offer whose code is used up comes down within 2 s (API version %s)',
  async (version) => {
    stripe.version = version
    await announced({ maxRedemptions: 100 })
    const sold = stripe.editCode('promo', { timesRedeemed: 100 })
    expect(await stage.tell(sold)).toEqual({ outcome: 'ignored', reason: 'trigger' })
    await clock.pass(2_000)
    expect(await up()).toBeNull()
    expect((await stage.history())[0]).toMatchObject({
      action: 'withdrawn',
      by: { via: 'stripe', coupon: 'C' },
      reason: 'code_used_up',
    })
  },
)

it('contract T7: an offer ends when its code expires', async () => {
  await announced({ expiresAt: inSeconds(60) })
  await clock.pass(MINUTE)
  expect(await up()).toBeNull()
})

it.each(['answers', "doesn't answer"])(
  'contract T7, T3: while Stripe %s, an offer stops showing at the expiry that was added to its code after publication',
  async (then) => {
    await announced()
    stripe.editCode('promo', { expiresAt: inSeconds(15 * 60) })
    await clock.pass(11 * MINUTE)
    if (then === "doesn't answer") stage.silence()
    await clock.pass(4 * MINUTE - 5_000)
    expect(await up()).toBe('With a code')
    await clock.pass(7_000)
    expect(await up()).toBeNull()
    const action = then === 'answers' ? 'withdrawn' : 'paused'
    expect((await stage.history())[0]).toMatchObject({ action })
  },
)

it("contract T7: while the key isn't allowed to read codes, the service judges only the coupon, and the doctor fails", async () => {
  stripe.trouble = (path) => (path.includes('promotion_codes') ? { status: 403 } : undefined)
  const mount = await announced({ maxRedemptions: 1, timesRedeemed: 1 })
  await clock.pass(50 * MINUTE)
  expect(await up()).toBe('With a code')
  expect(stage.warnings()).toMatchObject([
    { fields: { reason: expect.stringContaining('promotion codes (403)') } },
  ])
  const facts = await (await readOwned(mount, '/api/doctor?stripe')).json()
  expect(facts.stripe).toMatchObject({ codes: { result: 'denied' } })
  const message = expect.stringContaining('promotion codes')
  expect(checkKey(facts)).toMatchObject({ status: 'fail', message })
  stripe.trouble = () => undefined
  await clock.pass(10 * MINUTE)
  expect(await up()).toBeNull()
  const again = expect.objectContaining({ message: 'Stripe answers again' })
  expect(mount.log.lines).toContainEqual(again)
})

it('contract T7, T3: an offer with a limit is paused 5 minutes after requests for its code start to fail', async () => {
  await announced({ maxRedemptions: 100 })
  stripe.trouble = (path) => (path.includes('promotion_codes') ? { status: 500 } : undefined)
  await clock.pass(5 * MINUTE + 5_000)
  expect(await up()).toBeNull()
  await stage.answer()
  expect(await up()).toBe('With a code')
})

it.each([
  ['an unlimited', 8, 14, null],
  ['a limited', 125, 250, 1_000],
])(
  'contract T3, T7: %s offer takes at most %i requests an hour, or %i with a code',
  async (_, plain, coded, max) => {
    const inAnHour = async () => {
      const { length } = stripe.asked
      await clock.pass(60 * MINUTE)
      return stripe.asked.length - length
    }
    await announced({ maxRedemptions: max })
    expect(await inAnHour()).toBeLessThanOrEqual(coded)
    await stage.tell(stripe.create({ id: 'PLAIN', name: 'Without', maxRedemptions: max }))
    const asked = await inAnHour()
    expect(asked).toBeLessThanOrEqual(plain)
    expect(asked).toBeGreaterThanOrEqual(6)
  },
)
