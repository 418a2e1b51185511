import { describe, expect, it } from 'vitest'
import { simulatedId } from '../../src/stripe/notification-types.ts'
import type { SimulatedCoupon } from '../../src/stripe/simulate.ts'
import { coupon, type DirectMount, readOwned, withdraw } from '../harness.ts'
import { KEY, NOT_FEATURED } from './fake.ts'
import type { StripeEvent } from './shapes.ts'
import { HOUR, MINUTE, makeStage, stageForEach } from './stage.ts'

const ID = 'BLACKFRIDAY'

const stage = stageForEach()
const { stripe, clock } = stage
const tell = (event: StripeEvent) => stage.tell(event)
const up = () => stage.up()

/** A notification about a coupon of another mode or account, which the key can't retrieve. */
function elsewhere(parts: SimulatedCoupon = {}, livemode = true): StripeEvent {
  const second = Math.floor(clock.now() / 1_000)
  const about = { coupon: ID, name: 'Elsewhere', ...parts }
  const event = { ...coupon('created', about, second, 'evt_elsewhere'), livemode }
  return event as unknown as StripeEvent
}

/** The coupon or notification that the key can't retrieve, according to the doctor's facts. */
const unknown = async (mount: DirectMount): Promise<unknown> =>
  (await (await readOwned(mount, '/api/doctor?stripe')).json()).stripe.unknown

/** Makes Stripe forget all its events. */
function forgetEvents() {
  const body = JSON.stringify({ error: { code: 'resource_missing', message: 'No such event' } })
  stripe.trouble = (path) => (/events\/./.test(path) ? { status: 404, body } : undefined)
}

describe("a key for another mode than a notification's", () => {
  it('contract T2, R9: counts as no key, even if it can retrieve a coupon with the same id, and is logged once', async () => {
    stripe.create({ id: ID, name: 'In the test mode', maxRedemptions: 2 })
    stripe.redeem(ID, 2)
    await clock.pass(MINUTE)
    const mount = await stage.start()
    const asked = stripe.asked.length
    expect(await tell(elsewhere({ maxRedemptions: 100 }))).toEqual({ outcome: 'published' })
    await withdraw(mount, { type: 'coupon' })
    expect((await stage.undo()).status).toBe(200)
    await clock.pass(50 * MINUTE)
    expect(await up()).toBe('Elsewhere')
    expect(stripe.asked).toHaveLength(asked)
    expect(stage.warnings()).toMatchObject([
      { message: expect.stringContaining('STRIPE_API_KEY and a notification differ in mode') },
    ])
    expect(await unknown(mount)).toBe(`the announced coupon ${ID}`)
    stage.silence()
    await clock.pass(HOUR)
    expect(await up()).toBe('Elsewhere')
  })

  it('contract T3: resumes an offer that was paused with the previous key', async () => {
    const before = await stage.offers()
    stage.silence()
    await clock.pass(6 * MINUTE)
    expect(await up()).toBeNull()
    await before.close()
    const apiKey = KEY.replace('test', 'live')
    await stage.start({ stripe: { apiKey, apiUrl: stripe.url } })
    await clock.pass(MINUTE)
    expect(await up()).toBe('Limited')
  })

  it.each<[string, string, boolean | undefined]>([
    ['the key', 'key_of_a_proxy_0123456789', true],
    ['the notification', KEY, undefined],
  ])("contract T2: isn't assumed if %s names no mode", async (_, apiKey, livemode) => {
    stripe.keys.add(apiKey)
    await stage.start({ stripe: { apiKey, apiUrl: stripe.url } })
    const event = stripe.create({ id: 'C', name: 'Used up', maxRedemptions: 1, timesRedeemed: 0 })
    stripe.redeem('C')
    const { livemode: __, ...without } = event
    const told = { ...without, ...(livemode !== undefined && { livemode }) } as StripeEvent
    expect(await tell(told)).toEqual({ outcome: 'ignored', reason: 'coupon_used_up' })
  })
})

describe("a coupon that the key can't retrieve", () => {
  it.each([
    ['without a limit, stays live and is logged once', undefined, 'answers'],
    ['with a limit, stays live even if Stripe stops answering later', 100, 'silent later'],
    ['with a limit, shows again once Stripe answers after an outage', 100, 'silent first'],
  ])('contract T2, T3: %s, if it is from another account', async (_, maxRedemptions, how) => {
    await stage.start()
    const event = elsewhere({ maxRedemptions }, false)
    if (how === 'silent first') stage.silence()
    expect(await tell(event)).toEqual({ outcome: 'published' })
    await clock.pass(MINUTE)
    if (how === 'silent later') stage.silence()
    await clock.pass(20 * MINUTE)
    if (how === 'silent first') await stage.answer(MINUTE)
    expect(await up()).toBe('Elsewhere')
    if (how === 'answers') expect(stage.warnings()).toHaveLength(1)
  })

  it.each([0, MINUTE])(
    'contract T2: comes down if the same key has retrieved it %i ms before, even if Stripe has forgotten its event',
    async (ms) => {
      await stage.start()
      await tell(stripe.create({ id: ID, name: 'Retrieved' }))
      await clock.pass(ms)
      forgetEvents()
      stripe.remove(ID)
      await clock.pass(11 * MINUTE)
      expect(await up()).toBeNull()
      expect((await stage.history())[0]).toMatchObject({ reason: 'coupon_deleted' })
    },
  )

  it.each([
    ['comes down if the key can retrieve the event that published it', false, null],
    [
      "stays live if the key can't retrieve the event that published it either",
      true,
      'Put up without a key',
    ],
  ])('contract T2: %s', async (_, isForgotten, shown) => {
    const before = await stage.start({ stripe: undefined })
    await tell(stripe.create({ id: ID, name: 'Put up without a key', maxRedemptions: 9 }))
    await before.close()
    stripe.remove(ID)
    await clock.pass(2_000)
    if (isForgotten) forgetEvents()
    const mount = await stage.start()
    await clock.pass(50 * MINUTE)
    expect(await up()).toBe(shown)
    expect(stage.warnings()).toHaveLength(isForgotten ? 1 : 0)
    if (isForgotten) expect(await unknown(mount)).toMatch(ID)
  })

  it.each([false, true])(
    "contract T2: stays live with another account's key, though the previous key had retrieved it (can list events: %s)",
    async (mayList) => {
      const before = await stage.offers({ maxRedemptions: null })
      await before.close()
      const other = await makeStage()
      const { stripe } = other
      const apiKey = `${KEY}elsewhere`
      stripe.keys.add(apiKey)
      stripe.trouble = (path) =>
        !mayList && path.startsWith('/v1/events') ? { status: 403 } : undefined
      const mount = await stage.start({ stripe: { apiKey, apiUrl: stripe.url } })
      await clock.pass(HOUR)
      expect(stripe.asked.map((one) => one.path)).toContain('/v1/coupons/C')
      expect(await up()).toBe('Limited')
      await mount.close()
      await other.close()
    },
  )
})

describe("a key for a different account than the webhooks'", () => {
  it.each([true, false])(
    'contract T4: keeps missed events from being applied until the last notification is 29 days old (from the other mode: %s)',
    async (livemode) => {
      const mount = await stage.start()
      await tell(elsewhere({}, livemode))
      stripe.create({ id: 'HERE', name: 'Of the account of the key' })
      await clock.pass(2 * HOUR)
      expect(await up()).toBe('Elsewhere')
      stripe.remove('HERE')
      await clock.pass(2 * HOUR)
      expect(await up()).toBe('Elsewhere')
      const message = expect.stringContaining('for a different account or mode than the webhooks')
      expect(stage.warnings()).toContainEqual(expect.objectContaining({ message }))
      expect(await unknown(mount)).toBeDefined()
      await withdraw(mount, { type: 'coupon' })
      expect(await unknown(mount)).toBe('the notification evt_elsewhere')
      await clock.pass(MINUTE)
      stripe.create({ id: 'GONE', name: 'Where nothing is up' })
      await clock.pass(2 * HOUR)
      expect(await up()).toBeNull()
      clock.advance(29 * 24 * HOUR)
      stripe.create({ id: 'LATER', name: 'A month later' })
      await clock.pass(2 * HOUR)
      expect(await up()).toBe('A month later')
    },
  )

  it('contract T4: no longer prevents catching up once the webhooks deliver a notification that the key can retrieve', async () => {
    const before = await stage.start({ stripe: undefined })
    await tell(elsewhere())
    await before.close()
    await stage.start()
    await clock.pass(MINUTE)
    stripe.create({ id: 'TEST', name: 'In the test mode' })
    await clock.pass(10 * HOUR)
    expect(await up()).toBe('Elsewhere')
    await tell(stripe.create({ id: 'OTHER', metadata: NOT_FEATURED }))
    await clock.pass(HOUR)
    expect(await up()).toBe('In the test mode')
  })

  it("contract T4: isn't inferred from a notification of `placard simulate`", async () => {
    await stage.start()
    await tell({ ...elsewhere({}, false), id: simulatedId() })
    expect(await up()).toBe('Elsewhere')
    stripe.create({ id: 'LOST', name: 'Lost' })
    await clock.pass(HOUR)
    expect(await up()).toBe('Lost')
  })
})
