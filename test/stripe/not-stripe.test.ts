import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { stripeClient } from '../../src/stripe/client.ts'
import { current } from '../harness.ts'
import { listen } from '../raw.ts'
import { KEY, type Trouble } from './fake.ts'
import { MINUTE, stageForEach } from './stage.ts'

/** What answers in the place of Stripe, if anything does. */

const stage = stageForEach()
const OTHER = JSON.stringify({ id: 'OTHER', object: 'coupon', valid: true })

it.each<Trouble>([
  'resets',
  { status: 200, body: '<html>' },
  { status: 200, body: 'null' },
  { status: 200, body: '{}' },
  { status: 200, body: OTHER },
  { status: 404, body: '<html>' },
  { status: 404, body: '{"error":"Not Found"}' },
  { status: 404, body: '{"error":{"type":"invalid_request_error"}}' },
])(
  'contract T2, T3: %j is no answer to any question: a limited offer is down after 5 minutes, and back as it was with the next good answer',
  async (trouble) => {
    const { clock } = stage
    const mount = await stage.offers()
    const before = await current(mount)
    stage.stripe.trouble = () => trouble
    await clock.pass(4 * MINUTE)
    expect(await stage.up()).toBe('Limited')
    await clock.pass(MINUTE + 1_000)
    expect(await stage.up()).toBeNull()
    await clock.pass(15 * MINUTE)
    expect(await stage.up()).toBeNull()
    await stage.answer()
    expect(await current(mount)).toEqual(before)
    expect(await stage.history()).toMatchObject([
      { action: 'resumed' },
      { action: 'paused', reason: 'no_answer' },
      { action: 'published' },
    ])
    expect(stage.warnings()).toHaveLength(1)
    const again = expect.objectContaining({ message: 'Stripe answers again' })
    expect(mount.log.lines).toContainEqual(again)
  },
)

it.each(['{}', OTHER])('contract T3: %s for a coupon takes away no limit', async (body) => {
  const { stripe, clock } = stage
  await stage.offers()
  stripe.trouble = (path) => (path === '/v1/coupons/C' ? { status: 200, body } : undefined)
  await clock.pass(31_000)
  stripe.redeem('C', 100)
  await stage.answer(32_000)
  expect(await stage.up()).toBeNull()
})

it('contract T2: {} for an event does not say that the coupon is of this account', async () => {
  const { stripe } = stage
  await stage.start()
  const event = stripe.create({ id: 'C', name: 'Of another account' })
  stripe.trouble = (path) =>
    path === '/v1/coupons/C' ? { status: 404 } : { status: 200, body: '{}' }
  expect(await stage.tell(event)).toEqual({ outcome: 'published' })
  expect(await stage.up()).toBe('Of another account')
})

it.each<Trouble>([
  { status: 404 },
  { status: 200, body: '{"data":[null],"has_more":false}' },
  { status: 200, body: '{"data":[{}],"has_more":true}' },
])(
  'contract T3, T4: %j for the list of events alone: what is up is asked about all the same',
  async (trouble) => {
    const { stripe, clock } = stage
    await stage.offers()
    stripe.trouble = (path) => (path === '/v1/events' ? trouble : undefined)
    await clock.pass(60 * MINUTE)
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await stage.up()).toBeNull()
  },
)

it('contract T3: of an answer without an end, no more is read than 8 MiB, and then it is none', async () => {
  let sent = 0
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"id":"C","a":"')
    const chunk = Buffer.alloc(1 << 20, 'a')
    const more = () => {
      while (!response.destroyed && sent < 100 << 20) {
        sent += chunk.length
        if (!response.write(chunk)) return response.once('drain', more)
      }
    }
    more()
  })
  const apiUrl = `http://127.0.0.1:${await listen(server)}`
  const client = stripeClient({ apiKey: KEY, apiUrl }, stage.clock)
  const quiet = { leftMs: async () => 0, keep: async () => {} }
  await expect(client.questions(quiet).coupon('C')).rejects.toThrow("can't be reached")
  client.close()
  // Some of it is on its way by then.
  expect(sent).toBeLessThan(32 << 20)
})
