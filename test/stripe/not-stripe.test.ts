import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stripeClient } from '../../src/stripe/client.ts'
import { KEY } from './fake.ts'
import { makeStage, type Stage } from './stage.ts'

const MINUTE = 60_000
const OTHER = JSON.stringify({ id: 'OTHER', object: 'coupon', valid: true })

describe('what answers in the place of Stripe', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await makeStage()
  })
  afterEach(() => stage.close())

  const limited = async () => {
    const mount = await stage.start()
    const event = stage.stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 })
    await stage.tell(mount, event)
    await stage.clock.pass(MINUTE)
    return mount
  }

  it.each([
    '',
    '<html>',
    '"ok"',
    'true',
    'null',
    '[]',
    '{}',
    '{"data":7}',
    '{"data":[null],"has_more":false}',
    '{"data":[{}],"has_more":true}',
    OTHER,
  ])(
    'contract T3: %s is no answer to any question: a limited offer is down after 5 minutes, and not back by it',
    async (body) => {
      const { stripe, clock, up } = stage
      const mount = await limited()
      stripe.trouble = () => ({ status: 200, body })
      await clock.pass(4 * MINUTE)
      expect(await up(mount)).toBe('Limited')
      await clock.pass(MINUTE + 1_000)
      expect(await up(mount)).toBeNull()
      await clock.pass(15 * MINUTE)
      expect(await up(mount)).toBeNull()
      stripe.trouble = () => undefined
      await clock.pass(31_000)
      expect(await up(mount)).toBe('Limited')
    },
  )

  it.each(['{}', OTHER])('contract T3: %s for a coupon takes away no limit', async (body) => {
    const { stripe, clock, up } = stage
    const mount = await limited()
    stripe.trouble = (path) => (path === '/v1/coupons/C' ? { status: 200, body } : undefined)
    await clock.pass(31_000)
    stripe.trouble = () => undefined
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()
  })

  it('contract T2: {} for an event does not say that the coupon is of this account', async () => {
    const { stripe, tell, up } = stage
    const mount = await stage.start()
    const event = stripe.create({ id: 'C', name: 'Of another account' })
    stripe.trouble = (path) =>
      path === '/v1/coupons/C' ? { status: 404 } : { status: 200, body: '{}' }
    expect(await tell(mount, event)).toEqual({ outcome: 'published' })
    expect(await up(mount)).toBe('Of another account')
  })

  it.each(['<html>', '{"error":"Not Found"}', '{"error":{"type":"invalid_request_error"}}', '{}'])(
    'contract T2: 404 with %s says not that a coupon is deleted',
    async (body) => {
      const { stripe, clock, up } = stage
      const mount = await limited()
      stripe.trouble = () => ({ status: 404, body })
      await clock.pass(4 * MINUTE)
      expect(await up(mount)).toBe('Limited')
      await clock.pass(MINUTE + 1_000)
      stripe.trouble = () => undefined
      await clock.pass(31_000)
      expect(await up(mount)).toBe('Limited')
    },
  )

  it.each(['<html>', 'Too many', '{"message":"Too many"}'])(
    'contract T3: Retry-After is obeyed, though its body is %s',
    async (body) => {
      const { stripe, clock } = stage
      await limited()
      stripe.trouble = () => ({ status: 503, headers: { 'Retry-After': '120' }, body })
      await clock.pass(30_500)
      const asked = stripe.asked.length
      await clock.pass(85_000)
      expect(stripe.asked).toHaveLength(asked)
    },
  )

  it('contract T3, T4: 404 for the list of events alone: what stands is asked about all the same', async () => {
    const { stripe, clock, up } = stage
    const mount = await limited()
    stripe.trouble = (path) => (path === '/v1/events' ? { status: 404 } : undefined)
    await clock.pass(60 * MINUTE)
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()
  })

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
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = stripeClient({ apiKey: KEY, apiUrl }, stage.clock)
    const quiet = { leftMs: async () => 0, keep: async () => {} }
    await expect(client.questions(quiet).coupon('C')).rejects.toThrow("can't be asked")
    client.close()
    server.closeAllConnections()
    server.close()
    // Some of it is on its way by then.
    expect(sent).toBeLessThan(32 << 20)
  })
})
