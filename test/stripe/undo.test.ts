import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { visitorOf } from '../admin/visitor.ts'
import { build, commandLine } from '../command-line.ts'
import { API_SECRET, type DirectMount, DRAFT, publish, withdraw, write } from '../harness.ts'
import { type Place, STORES, temporaryDirectory } from '../stores.ts'
import { historyOf } from './history.ts'
import { makeStage, type Stage } from './stage.ts'

beforeAll(build)

const undo = async (mount: DirectMount) => {
  const response = await write(mount, 'POST', {}, {}, '/api/events/undo')
  return { status: response.status, ...(await response.json()) }
}

for (const kind of STORES) {
  describe(`a coupon that an undo would bring back, ${kind.name}`, () => {
    let stage: Stage
    let place: Place
    beforeEach(async () => {
      place = await kind.place()
      stage = await makeStage()
    })
    afterEach(() => stage.close())
    const start = async (options = {}) => stage.start(options, await place.open())

    it('contract R9, T2: is judged first: through the API, in the admin and from the command line', async () => {
      const { stripe, tell, up } = stage
      const mount = await start()
      await tell(mount, stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 }))
      await withdraw(mount, { type: 'coupon' })
      expect(await undo(mount)).toMatchObject({ status: 200 })
      expect(await up(mount)).toBe('The first five')
      await withdraw(mount, { type: 'coupon' })
      stripe.redeem('FIVE', 5)

      const error = 'The checkout would refuse that offer. The coupon is used up.'
      expect(await undo(mount)).toEqual({ status: 409, error, reason: 'coupon_used_up' })

      const visitor = visitorOf(mount.placard)
      await visitor.signIn(mount)
      const [{ id } = expect.fail()] = await historyOf(mount)
      const page = await visitor.post('/admin/undo', { id })
      expect(page.status).toBe(409)
      expect(await page.text()).toContain('would refuse that coupon. The coupon is used up.')

      const server = createAdaptorServer({ fetch: (request) => mount.placard.fetch(request) })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { refused } = commandLine(temporaryDirectory(), { EVENT_API_SECRET: API_SECRET })
      expect(await refused(1, 'undo', '--url', url)).toContain(error)
      server.close()
      expect(await up(mount)).toBeNull()
    })

    it('contract R9: what was judged comes back or nothing does, even if others write meanwhile', async () => {
      const { stripe, tell, up, clock } = stage
      const mount = await start()
      await tell(mount, stripe.create({ id: 'A', name: 'Judged' }))
      await clock.pass(2_000)
      await tell(mount, stripe.create({ id: 'B', name: 'Not judged', maxRedemptions: 1 }))
      stripe.redeem('B')
      stripe.latency = () => 100
      const asked = stripe.asked.length
      const undoing = undo(mount)
      await vi.waitFor(() => expect(stripe.asked.length).toBeGreaterThan(asked), { interval: 5 })
      // By now this is the last entry. It would bring the other one back.
      await withdraw(mount, { type: 'coupon' })
      await undoing
      expect(await up(mount)).toBeNull()
    })

    it('contract R9, A14: is judged where a start has replaced it that nobody has stored yet', async () => {
      const { stripe, tell, up, clock } = stage
      const mount = await start()
      await tell(mount, stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 }))
      const startsAt = clock.now() + 20_000
      await publish(mount, { ...DRAFT, type: 'coupon', text: 'Starts', startsAt })
      clock.advance(20_000)
      stripe.redeem('FIVE', 5)
      expect(await undo(mount)).toMatchObject({ status: 409, reason: 'coupon_used_up' })
      expect(await up(mount)).toBe('Starts')
    })

    it('contract R8, R9: what another coupon took down names that one, and can be put back', async () => {
      const { stripe, tell, up } = stage
      const mount = await start()
      await tell(mount, stripe.create({ id: 'A', name: 'The first' }))
      const late = stripe.create({ id: 'B', name: 'Sold out', maxRedemptions: 1 })
      stripe.redeem('B', 1)
      await tell(mount, late)
      const [entry] = await historyOf(mount)
      expect(entry).toMatchObject({
        action: 'withdrawn',
        by: { via: 'stripe', event: 'coupon.created', coupon: 'B', couponName: 'Sold out' },
        before: { text: 'The first', coupon: 'A' },
        undo: 'possible',
      })
      const visitor = visitorOf(mount.placard)
      await visitor.signIn(mount)
      const page = await (await visitor.get('/admin/history')).text()
      expect(page).toContain('Sold out')
      expect((await visitor.post('/admin/undo', { id: entry?.id ?? '' })).status).toBe(200)
      expect(await up(mount)).toBe('The first')
    })

    it('contract R9: the history says before why the checkout would refuse it', async () => {
      const { stripe, tell, clock } = stage
      const mount = await start()
      await tell(mount, stripe.create({ id: 'A', name: 'The first', maxRedemptions: 1 }))
      await clock.pass(2_000)
      stripe.redeem('A', 1)
      await tell(mount, stripe.edit('A', { name: 'The first' }))
      const [{ undo: state } = expect.fail()] = await historyOf(mount)
      expect(state).toBe('coupon_used_up')
      expect(await undo(mount)).toMatchObject({ status: 409, reason: 'coupon_used_up' })
    })

    it('contract R9, T3: stays down while Stripe does not answer, if an answer has said before that it is sold out', async () => {
      const { stripe, tell, up, clock } = stage
      const mount = await start()
      await tell(mount, stripe.create({ id: 'FIVE', name: 'The first five', maxRedemptions: 5 }))
      await clock.pass(2_000)
      await tell(mount, stripe.redeem('FIVE', 5))
      await vi.waitFor(async () => {
        await clock.pass(1_000)
        expect(await up(mount)).toBeNull()
      })
      stripe.trouble = () => 'resets'
      expect(await undo(mount)).toMatchObject({ status: 409, reason: 'coupon_used_up' })
      expect(await up(mount)).toBeNull()
    })

    it.each(['without a key', 'while Stripe does not answer'])(
      'contract R9, W5: counts as its last notification had it: %s',
      async (how) => {
        const { stripe, tell, up, clock } = stage
        stripe.trouble = () => 'resets'
        const mount = await start(how === 'without a key' ? { stripe: undefined } : {})
        await tell(mount, stripe.create({ id: 'A', name: 'Coupon A' }))
        await clock.pass(2_000)
        await tell(mount, stripe.create({ id: 'B', name: 'Coupon B' }))
        await clock.pass(2_000)
        // Deleting any takes down what is up. It says nothing about another coupon.
        await tell(mount, stripe.remove('A'))
        expect(await undo(mount)).toMatchObject({ status: 200 })
        expect(await up(mount)).toBe('Coupon B')
        await clock.pass(2_000)
        await tell(mount, stripe.remove('B'))
        expect(await undo(mount)).toMatchObject({ status: 409, reason: 'coupon_deleted' })
        await clock.pass(2_000)
        await tell(mount, stripe.create({ id: 'B', name: 'B again', maxRedemptions: 5 }))
        await withdraw(mount, { type: 'coupon' })
        expect(await undo(mount)).toMatchObject({ status: 200 })
        await clock.pass(2_000)
        stripe.redeem('B', 5)
        await tell(mount, stripe.edit('B', { name: 'Sold out' }))
        expect(await up(mount)).toBeNull()
        expect(await undo(mount)).toMatchObject({ status: 409, reason: 'coupon_used_up' })
        expect(await up(mount)).toBeNull()
      },
    )
  })
}
