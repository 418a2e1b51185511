import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { madeUpId } from '../../src/stripe/notification-types.ts'
import { type DirectMount, withdraw, write } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { NOT_FEATURED } from './fake.ts'
import { historyOf } from './history.ts'
import type { StoredCoupon, StripeEvent } from './shapes.ts'
import { makeStage, type Stage } from './stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ID = 'BLACKFRIDAY'

let stage: Stage
let path: string
beforeEach(async () => {
  path = join(temporaryDirectory(), 'placard.db')
  stage = await makeStage(() => sqliteStore(path))
})
afterEach(() => stage.close())

/** A notification of the coupon in the other mode, of which the key knows nothing. */
async function live(parts: Partial<StoredCoupon> = {}): Promise<StripeEvent> {
  const other = await makeStage()
  other.clock.set(stage.clock.now())
  other.stripe.livemode = true
  const event = other.stripe.create({ id: ID, name: 'Live', ...parts })
  await other.close()
  return { ...event, id: 'evt_live' }
}

/** What the doctor is told. */
async function unknownTo(mount: DirectMount): Promise<unknown> {
  const headers = { Authorization: `Bearer ${mount.apiSecret}` }
  const { stripe } = await (await mount.fetch('/api/doctor?stripe', { headers })).json()
  return stripe.unknown
}

/** The coupon of that id which the key has. */
async function usedUpInTestMode() {
  const { stripe, clock } = stage
  stripe.create({ id: ID, name: 'In the test mode', maxRedemptions: 2 })
  stripe.redeem(ID, 2)
  await clock.pass(MINUTE)
}

describe('two coupons of one id', () => {
  it('contract T2: one that is used up in the mode of the key takes the one of the other mode not down, which is treated as without a key', async () => {
    const { clock, tell, up } = stage
    await usedUpInTestMode()
    const mount = await stage.start()
    expect(await tell(mount, await live())).toEqual({ outcome: 'published' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Live')
    const said = mount.log.lines.filter(({ message }) =>
      message.includes('another account or mode'),
    )
    expect(said).toHaveLength(1)
    expect(await unknownTo(mount)).toBe(`the coupon ${ID}, which is announced`)
  })

  it('contract T2, T3: nor when Stripe did not answer at first, nor for want of an answer later', async () => {
    const { stripe, clock, tell, up } = stage
    await usedUpInTestMode()
    const mount = await stage.start()
    stripe.trouble = () => 'resets'
    await tell(mount, await live({ maxRedemptions: 100 }))
    stripe.trouble = () => undefined
    await clock.pass(20 * MINUTE)
    expect(await up(mount)).toBe('Live')
    stripe.trouble = () => 'resets'
    await clock.pass(20 * MINUTE)
    expect(await up(mount)).toBe('Live')
  })

  it('contract T2, R9: nor does it keep an undo from bringing that one back', async () => {
    const { clock, tell, up } = stage
    await usedUpInTestMode()
    const mount = await stage.start()
    await tell(mount, await live())
    await withdraw(mount, { type: 'coupon' })
    expect((await write(mount, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Live')
  })

  it('contract T2: a notification of one that was deleted and made anew since puts up neither', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const first = stripe.create({ id: ID, name: 'First' })
    await clock.pass(5_000)
    stripe.remove(ID)
    await clock.pass(5_000)
    const second = stripe.create({ id: ID, name: 'Second' })
    expect(await tell(mount, first)).toEqual({ outcome: 'ignored', reason: 'coupon_deleted' })
    expect(await up(mount)).toBeNull()
    await tell(mount, second)
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Second')
    expect(await unknownTo(mount)).toBeUndefined()
  })

  it('contract T2, T3: one that the key has had for longer than Stripe keeps events is asked about by its id', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start({ stripe: undefined })
    await tell(mount, stripe.create({ id: ID, name: 'Long up', maxRedemptions: 100 }))
    await mount.close()
    clock.advance(31 * 24 * HOUR)
    stripe.trouble = (path) => (/events\/./.test(path) ? { status: 404, body: GONE } : undefined)
    const other = await stage.start()
    await clock.pass(MINUTE)
    stripe.redeem(ID, 100)
    await clock.pass(32_000)
    expect(await up(other)).toBeNull()
    expect((await historyOf(other))[0]).toMatchObject({ reason: 'Stripe: sold out (100 of 100)' })
  })

  it.each([
    ['Stripe no longer has the event', 31 * 24 * HOUR, { status: 404, body: GONE }],
    ['the key may not read events', HOUR, { status: 403 }],
  ])('contract T2: one of the other mode takes it not down, where %s', async (_, age, refusal) => {
    const { stripe, clock, tell, up } = stage
    await usedUpInTestMode()
    const before = await stage.start({ stripe: undefined })
    await tell(before, await live())
    await before.close()
    clock.advance(age)
    stripe.trouble = (path) => (/events/.test(path) ? refusal : undefined)
    const mount = await stage.start()
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Live')
    if (refusal.status === 404) expect(await unknownTo(mount)).toMatch(ID)
  })

  it('contract T2: one that a made-up notification names is asked about, whenever it was made', async () => {
    const { stripe, clock, tell, up } = stage
    stripe.create({ id: ID, name: 'In Stripe', maxRedemptions: 5 })
    await clock.pass(MINUTE)
    const mount = await stage.start()
    await tell(mount, { ...(await live()), id: madeUpId() })
    expect(await up(mount)).toBe('In Stripe')
    stripe.redeem(ID, 5)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()
  })
})

describe('a key of another mode or account than the webhooks', () => {
  const WARNING = expect.stringContaining('of another account or mode than the webhooks')
  /** What the log says of what is not caught up with. */
  const said = ({ log }: DirectMount) =>
    log.lines.filter(({ level, message }) => level === 'warn' && /missed/.test(message))

  it.each([
    ['an hour', HOUR],
    ['40 days, so that Stripe no longer has the event', 40 * 24 * HOUR],
  ])(
    'contract T4: what was missed puts up nothing, replaces nothing and takes nothing down, after %s',
    async (_, age) => {
      const { stripe, clock, tell, up } = stage
      // Another node has taken it, and had no key.
      const before = await stage.start({ stripe: undefined })
      await tell(before, await live())
      await before.close()
      clock.advance(age)
      const mount = await stage.start()
      stripe.create({ id: 'TEST', name: 'In the test mode' })
      await clock.pass(2 * HOUR)
      expect(await up(mount)).toBe('Live')
      stripe.remove('TEST')
      await clock.pass(2 * HOUR)
      expect(await up(mount)).toBe('Live')
      await withdraw(mount, { type: 'coupon' })
      await clock.pass(MINUTE)
      stripe.create({ id: 'TEST', name: 'In the test mode' })
      await clock.pass(2 * HOUR)
      expect(await up(mount)).toBeNull()
      expect(said(mount)).toMatchObject([{ message: WARNING }])
      if (age === HOUR) expect(await unknownTo(mount)).toBe('the notification evt_live')
    },
  )

  it('contract T4: nor does it of another account in the same mode', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, { ...(await live()), livemode: false })
    stripe.create({ id: 'HERE', name: 'Of the account of the key' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBe('Live')
    expect(said(mount)).toMatchObject([{ message: WARNING }])
  })

  it('contract T4: nor where an earlier version has noted no delivery, and the other is up', async () => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start()
    await tell(before, await live())
    await before.close()
    const database = new DatabaseSync(path)
    database.exec('update placard_offer set heard_event = null, heard_live = null')
    database.close()
    const mount = await stage.start()
    stripe.create({ id: 'TEST', name: 'In the test mode' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBe('Live')
  })

  it('contract T4: where both were just changed, it is caught up with after the next notification', async () => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start({ stripe: undefined })
    await tell(before, await live())
    await before.close()
    const mount = await stage.start()
    await clock.pass(MINUTE)
    stripe.create({ id: 'TEST', name: 'In the test mode' })
    await clock.pass(10 * HOUR)
    expect(await up(mount)).toBe('Live')
    await tell(mount, stripe.create({ id: 'OTHER', metadata: NOT_FEATURED }))
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('In the test mode')
  })

  it('contract T4: what placard simulate sends says nothing of the webhooks', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, { ...(await live()), id: madeUpId() })
    expect(await up(mount)).toBe('Live')
    stripe.create({ id: 'LOST', name: 'Lost' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
    expect(said(mount)).toEqual([])
  })
})

const GONE = JSON.stringify({ error: { code: 'resource_missing', message: 'No such event' } })
