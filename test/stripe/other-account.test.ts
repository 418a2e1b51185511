import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { madeUpId } from '../../src/stripe/notification-types.ts'
import { type DirectMount, withdraw, write } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { KEY, NOT_FEATURED } from './fake.ts'
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

/** A notification of the coupon in another mode or account, of which the key knows nothing. */
async function elsewhere(parts: Partial<StoredCoupon> = {}, livemode = true): Promise<StripeEvent> {
  const other = await makeStage()
  other.clock.set(stage.clock.now())
  other.stripe.livemode = livemode
  const event = other.stripe.create({ id: ID, name: 'Elsewhere', ...parts })
  await other.close()
  return { ...event, id: 'evt_elsewhere' }
}

/** What the doctor is told. */
async function unknownTo(mount: DirectMount): Promise<unknown> {
  const headers = { Authorization: `Bearer ${mount.apiSecret}` }
  const { stripe } = await (await mount.fetch('/api/doctor?stripe', { headers })).json()
  return stripe.unknown
}

const warnings = ({ log }: DirectMount) => log.lines.filter(({ level }) => level === 'warn')

/** The coupon of that id which the key has. */
async function usedUpHere() {
  const { stripe, clock } = stage
  stripe.create({ id: ID, name: 'In the test mode', maxRedemptions: 2 })
  stripe.redeem(ID, 2)
  await clock.pass(MINUTE)
}

describe('a notification of the other mode', () => {
  it('contract T2: is treated as without a key, even if the key has a coupon of that id; the log says so once', async () => {
    const { stripe, clock, tell, up } = stage
    await usedUpHere()
    const mount = await stage.start()
    const asked = stripe.asked.length
    expect(await tell(mount, await elsewhere({ maxRedemptions: 100 }))).toEqual({
      outcome: 'published',
    })
    await clock.pass(50 * MINUTE)
    expect(await up(mount)).toBe('Elsewhere')
    expect(stripe.asked).toHaveLength(asked)
    expect(warnings(mount)).toMatchObject([
      { message: expect.stringContaining('of another mode than a notification') },
    ])
    expect(await unknownTo(mount)).toBe(`the coupon ${ID}, which is announced`)
    stripe.trouble = () => 'resets'
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Elsewhere')
  })

  it('contract T2, R9: an undo goes by what its notifications have said', async () => {
    const { clock, tell, up } = stage
    await usedUpHere()
    const mount = await stage.start()
    await tell(mount, await elsewhere())
    await withdraw(mount, { type: 'coupon' })
    expect((await write(mount, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Elsewhere')
  })

  it('contract T3: after a change to a key of the other mode, a paused offer shows again, as without a key', async () => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start()
    await tell(before, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    stripe.trouble = () => 'resets'
    await clock.pass(6 * MINUTE)
    expect(await up(before)).toBeNull()
    await before.close()
    const apiKey = KEY.replace('test', 'live')
    const mount = await stage.start({ stripe: { apiKey, apiUrl: stripe.url } })
    await clock.pass(MINUTE)
    expect(await up(mount)).toBe('Limited')
  })

  it.each<[string, string, boolean | undefined]>([
    ['a key that names no mode', 'key_of_a_proxy_0123456789', true],
    ['a notification that names none', KEY, undefined],
  ])('contract T2: %s: it counts as the same mode', async (_, apiKey, livemode) => {
    const { stripe, tell } = stage
    stripe.keys.add(apiKey)
    const mount = await stage.start({ stripe: { apiKey, apiUrl: stripe.url } })
    const event = stripe.create({ id: 'C', name: 'Used up', maxRedemptions: 1, timesRedeemed: 0 })
    stripe.redeem('C')
    const { livemode: __, ...without } = event
    const told = { ...without, ...(livemode !== undefined && { livemode }) } as StripeEvent
    expect(await tell(mount, told)).toEqual({ outcome: 'ignored', reason: 'coupon_used_up' })
  })
})

describe('a coupon that isn’t there', () => {
  const gone = JSON.stringify({ error: { code: 'resource_missing', message: 'No such event' } })

  it('contract T2: comes down if this key has retrieved it, even if Stripe has forgotten its event', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: ID, name: 'Long up' }))
    await clock.pass(11 * MINUTE)
    stripe.trouble = (path) => (/events\/./.test(path) ? { status: 404, body: gone } : undefined)
    stripe.remove(ID)
    await clock.pass(11 * MINUTE)
    expect(await up(mount)).toBeNull()
    expect((await historyOf(mount))[0]).toMatchObject({ reason: 'coupon_deleted' })
  })

  it.each([
    ['comes down if the key knows the event that put it up', false, null],
    ['is treated as without a key if it knows nothing of it', true, 'Put up without a key'],
  ])('contract T2: %s', async (_, isForgotten, shown) => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start({ stripe: undefined })
    await tell(before, stripe.create({ id: ID, name: 'Put up without a key', maxRedemptions: 9 }))
    await before.close()
    stripe.remove(ID)
    await clock.pass(2_000)
    if (isForgotten) {
      stripe.trouble = (path) => (/events\/./.test(path) ? { status: 404, body: gone } : undefined)
    }
    const mount = await stage.start()
    await clock.pass(50 * MINUTE)
    expect(await up(mount)).toBe(shown)
    expect(warnings(mount)).toHaveLength(isForgotten ? 1 : 0)
    if (isForgotten) expect(await unknownTo(mount)).toMatch(ID)
  })
})

describe('a key of another account than the webhooks', () => {
  const WARNING = expect.stringContaining('of another account or mode than the webhooks')

  it.each([true, false])(
    'contract T4: what was missed puts up nothing, replaces nothing and takes nothing down; of the other mode: %s',
    async (livemode) => {
      const { stripe, clock, tell, up } = stage
      const mount = await stage.start()
      await tell(mount, await elsewhere({}, livemode))
      stripe.create({ id: 'HERE', name: 'Of the account of the key' })
      await clock.pass(2 * HOUR)
      expect(await up(mount)).toBe('Elsewhere')
      stripe.remove('HERE')
      await clock.pass(2 * HOUR)
      expect(await up(mount)).toBe('Elsewhere')
      expect(warnings(mount)).toContainEqual(expect.objectContaining({ message: WARNING }))
      expect(await unknownTo(mount)).toBeDefined()
      await withdraw(mount, { type: 'coupon' })
      expect(await unknownTo(mount)).toBe('the notification evt_elsewhere')
    },
  )

  it('contract T4: nor after the announcement is gone; after 30 days nothing tells any more', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, await elsewhere())
    await withdraw(mount, { type: 'coupon' })
    await clock.pass(MINUTE)
    stripe.create({ id: 'HERE', name: 'Of the account of the key' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBeNull()
    clock.advance(30 * 24 * HOUR)
    stripe.create({ id: 'LATER', name: 'A month later' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBe('A month later')
  })

  it('contract T4: where both were just changed, it is caught up with after the next notification', async () => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start({ stripe: undefined })
    await tell(before, await elsewhere())
    await before.close()
    const mount = await stage.start()
    await clock.pass(MINUTE)
    stripe.create({ id: 'TEST', name: 'In the test mode' })
    await clock.pass(10 * HOUR)
    expect(await up(mount)).toBe('Elsewhere')
    await tell(mount, stripe.create({ id: 'OTHER', metadata: NOT_FEATURED }))
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('In the test mode')
  })

  it('contract T4: what placard simulate sends says nothing of the webhooks', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, { ...(await elsewhere({}, false)), id: madeUpId() })
    expect(await up(mount)).toBe('Elsewhere')
    stripe.create({ id: 'LOST', name: 'Lost' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
  })
})
