import { beforeEach, describe, expect, it } from 'vitest'
import { visitorOf } from '../admin/visitor.ts'
import { DRAFT, publish, withdraw } from '../harness.ts'
import { soon } from '../soon.ts'
import { type Place, STORES } from '../stores.ts'
import type { StripeEvent } from './shapes.ts'
import { stageForEach } from './stage.ts'

const USED_UP = { status: 409, reason: 'coupon_used_up' }

describe.each(STORES)('a coupon that an undo would restore, $name', (kind) => {
  const stage = stageForEach()
  const { stripe, clock } = stage
  let place: Place
  beforeEach(async () => {
    place = await kind.place()
  })
  const start = async (options = {}) => stage.start(options, await place.open())
  /** Delivers a notification, and lets time pass, so that the next change is later. */
  const tell = async (event: StripeEvent) => {
    await stage.tell(event)
    await clock.pass(2_000)
  }
  const five = () => stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 })

  it('contract R9, T2: is judged before it is restored, in the API and in the admin', async () => {
    const mount = await start()
    await tell(five())
    await withdraw(mount, { type: 'coupon' })
    expect(await stage.undo()).toMatchObject({ status: 200 })
    expect(await stage.up()).toBe('The first five')
    await withdraw(mount, { type: 'coupon' })
    stripe.redeem('FIVE', 5)

    const error = 'The checkout would refuse that offer. The coupon is used up.'
    expect(await stage.undo()).toEqual({ ...USED_UP, error })

    const visitor = visitorOf(mount.placard)
    await visitor.signIn(mount)
    const [{ id } = expect.fail()] = await stage.history()
    const page = await visitor.post('/admin/undo', { id })
    expect(page.status).toBe(409)
    expect(await page.text()).toContain('would refuse that coupon. The coupon is used up.')
    expect(await stage.up()).toBeNull()
  })

  it('contract R9: is restored only if it was itself judged, even if another write changes the last entry meanwhile', async () => {
    const mount = await start()
    await tell(stripe.create({ id: 'A', name: 'Judged' }))
    await tell(stripe.create({ id: 'B', name: 'Not judged', maxRedemptions: 1 }))
    stripe.redeem('B')
    stripe.latency = () => 100
    const asked = stripe.asked.length
    const undoing = stage.undo()
    await soon(() => expect(stripe.asked.length).toBeGreaterThan(asked))
    // This becomes the last entry; undoing it would restore the coupon that wasn't judged.
    await withdraw(mount, { type: 'coupon' })
    await undoing
    expect(await stage.up()).toBeNull()
  })

  it('contract R9, A14: is judged even if a scheduled announcement has replaced it and no node has stored that start yet', async () => {
    const mount = await start()
    await stage.tell(five())
    const startsAt = clock.now() + 20_000
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'Starts', startsAt })
    clock.advance(20_000)
    stripe.redeem('FIVE', 5)
    expect(await stage.undo()).toMatchObject(USED_UP)
    expect(await stage.up()).toBe('Starts')
  })

  it("contract T2, R8, R9: can be restored if another coupon's notification took it down, and the history names that coupon", async () => {
    const mount = await start()
    await tell(stripe.create({ id: 'A', name: 'The first' }))
    const late = stripe.create({ id: 'B', name: 'Sold out', maxRedemptions: 1 })
    stripe.redeem('B', 1)
    await tell(late)
    const [entry] = await stage.history()
    expect(entry).toMatchObject({
      action: 'withdrawn',
      by: { via: 'stripe', event: 'coupon.created', coupon: 'B', couponName: 'Sold out' },
      before: { text: 'The first', coupon: 'A' },
      reason: 'coupon_used_up',
      undo: 'possible',
    })
    const visitor = visitorOf(mount.placard)
    await visitor.signIn(mount)
    expect(await (await visitor.get('/admin/history')).text()).toMatch(
      /The first.*<b>Stripe coupon B \(\u2068Sold out\u2069\):<\/b> The coupon is used up\./s,
    )
    expect((await visitor.post('/admin/undo', { id: entry?.id ?? '' })).status).toBe(200)
    expect(await stage.up()).toBe('The first')
  })

  it("contract R8, R9: stays down, even if Stripe doesn't answer, if it was used up when a late notification about it arrived", async () => {
    await start()
    await tell(stripe.create({ id: 'A', name: 'The first one', maxRedemptions: 1 }))
    const late = stripe.edit('A', { name: 'The first one only' })
    stripe.redeem('A')
    await tell(late)
    stage.silence()
    expect((await stage.history())[0]).toMatchObject({ undo: 'coupon_used_up' })
    expect(await stage.undo()).toMatchObject(USED_UP)
  })

  it("contract R9, T3: stays down, even if Stripe doesn't answer, if it has sold out since the entry to undo", async () => {
    const mount = await start()
    await tell(stripe.create({ id: 'A', name: 'The first one', maxRedemptions: 1 }))
    await withdraw(mount, { type: 'coupon' })
    const [{ id } = expect.fail()] = await stage.history()
    expect(await stage.undo(id)).toMatchObject({ status: 200 })
    stripe.redeem('A')
    await clock.pass(40_000)
    expect(await stage.up()).toBeNull()
    stage.silence()
    expect(await stage.undo(id)).toMatchObject(USED_UP)
    expect(await stage.up()).toBeNull()
  })

  it.each(['without a key', 'while Stripe does not answer'])(
    'contract R9, W5: %s, its last notification decides whether it can be restored, and the history shows that before the undo',
    async (how) => {
      stage.silence()
      const mount = await start(how === 'without a key' ? { stripe: undefined } : {})
      await tell(stripe.create({ id: 'A', name: 'Coupon A' }))
      await tell(stripe.create({ id: 'B', name: 'Coupon B' }))
      // Deleting A takes down B's announcement (spec 6), but says nothing about B itself.
      await stage.tell(stripe.remove('A'))
      expect(await stage.undo()).toMatchObject({ status: 200 })
      expect(await stage.up()).toBe('Coupon B')
      await clock.pass(2_000)
      await tell(stripe.remove('B'))
      expect(await stage.undo()).toMatchObject({ status: 409, reason: 'coupon_deleted' })
      await stage.tell(stripe.create({ id: 'B', name: 'B again', maxRedemptions: 5 }))
      await withdraw(mount, { type: 'coupon' })
      expect(await stage.undo()).toMatchObject({ status: 200 })
      await clock.pass(2_000)
      stripe.redeem('B', 5)
      await stage.tell(stripe.edit('B', { name: 'Sold out' }))
      expect(await stage.up()).toBeNull()
      expect((await stage.history())[0]).toMatchObject({ undo: 'coupon_used_up' })
      expect(await stage.undo()).toMatchObject(USED_UP)
      expect(await stage.up()).toBeNull()
    },
  )
})
