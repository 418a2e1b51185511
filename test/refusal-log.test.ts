import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/store/sqlite.ts'
import {
  coupon,
  type DirectMount,
  makePlacard,
  nextAddress,
  notify,
  publish,
  STRIPE_SECRET,
  sign,
  type TimedClock,
  timedClock,
} from './harness.ts'
import { raw } from './raw.ts'
import { type Running, running } from './running.ts'

describe('contract R6: refused requests of one address', () => {
  let clock: TimedClock
  let mount: DirectMount
  beforeEach(() => {
    clock = timedClock()
    mount = makePlacard(sqliteStore(':memory:'), {}, clock)
  })
  afterEach(() => mount.close())

  const guess = (address: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        mount.fetch('/api/events/history', {
          headers: { Authorization: 'Bearer wrong', 'X-Forwarded-For': address },
        }),
      ),
    )

  it('have one line at once, and one for each window with how many followed', async () => {
    const { log } = mount
    await guess('192.0.2.1', 1_000)
    expect(log.lines).toMatchObject([
      { message: 'request', fields: { status: 401, address: '192.0.2.1' } },
    ])
    await guess('192.0.2.2', 1)
    await clock.pass(10_000)
    await guess('192.0.2.1', 500)
    await clock.pass(10_000)
    await clock.pass(10_000)
    await guess('192.0.2.1', 1)
    expect(log.lines.slice(1)).toMatchObject([
      { fields: { status: 401, address: '192.0.2.2' } },
      { fields: { address: '192.0.2.1', count: 999, statuses: { 401: 9, 429: 990 } } },
      { fields: { address: '192.0.2.1', count: 500, statuses: { 401: 10, 429: 490 } } },
      { fields: { status: 401, address: '192.0.2.1' } },
    ])
  })

  it('name no address for a path that is not there', async () => {
    await mount.fetch('/nowhere?of=what', { headers: { 'X-Forwarded-For': '192.0.2.1' } })
    expect(mount.log.lines).toHaveLength(1)
    expect(JSON.stringify(mount.log.lines)).not.toMatch(/192\.0\.2\.1|of=what/)
  })

  it('share a line from the thousandth address on', async () => {
    for (let count = 0; count < 1_500; count++) {
      await guess(`10.0.${count >> 8}.${count & 255}`, 1)
    }
    await clock.pass(10_000)
    expect(mount.log.lines).toHaveLength(1_002)
    expect(mount.log.lines.at(-1)?.fields).toMatchObject({ address: 'others', count: 499 })
  })

  it('are all told of when the service stops', async () => {
    await guess('192.0.2.1', 5)
    await mount.close()
    expect(mount.log.lines.at(-1)?.fields).toMatchObject({ count: 4 })
  })

  it('do not hide what was written', async () => {
    const from = { 'X-Forwarded-For': '192.0.2.1' }
    await guess('192.0.2.1', 5)
    for (let count = 0; count < 3; count++) await publish(mount, undefined, from)
    expect(mount.log.lines.filter(({ fields }) => fields.status === 201)).toHaveLength(3)
  })
})

describe('contract W1, R6: the line of a refused notification', () => {
  const notification = JSON.stringify(coupon('created'))
  const refusals = [
    ['The Stripe-Signature header is missing', ''],
    ['The Stripe-Signature header is malformed; it must be t=…,v1=…', 'v1=short'],
    [
      'The signature is more than 5 minutes off; check the clock of this machine',
      sign(notification, STRIPE_SECRET, Date.now() - 600_000),
    ],
    [
      'The signature does not match; check the signing secret',
      sign(notification, 'whsec_of-somebody-else', Date.now()),
    ],
  ] as const

  it.each(refusals)('has the reason that its answer names: %s', async (reason, signature) => {
    const server = await running()
    const headers = { 'Stripe-Signature': signature, 'X-Forwarded-For': nextAddress() }
    const init = { method: 'POST', headers, body: notification }
    const answer = await server.fetch('/api/webhooks', init)
    expect(await answer.json()).toEqual({ error: reason, code: 'invalid_signature' })
    await server.close()
    const lines = server.logged().trim().split('\n')
    const refused = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 400)
    expect(refused).toEqual([expect.objectContaining({ path: '/api/webhooks', reason })])
    if (signature) expect(server.logged()).not.toContain(signature.slice(-12))
  })

  it('has the code of a fault whose sentence might quote the sender', async () => {
    const server = await running()
    const body = '{ "not": json }'
    const headers = { 'Stripe-Signature': sign(body, STRIPE_SECRET, Date.now()) }
    const answer = await server.fetch('/api/webhooks', { method: 'POST', headers, body })
    expect((await answer.json()).code).toBe('not_json')
    await server.close()
    const line = server
      .logged()
      .trim()
      .split('\n')
      .find((one) => one.includes('"status":400'))
    expect(JSON.parse(line ?? '')).toMatchObject({ path: '/api/webhooks', reason: 'not_json' })
  })

  it('names the variable that is not set', async () => {
    const server = await running({ STRIPE_WEBHOOK_SECRET: '', NODE_ENV: 'production' })
    expect((await notify(server, notification)).status).toBe(503)
    await server.close()
    const reason = 'Notifications are off: set STRIPE_WEBHOOK_SECRET'
    expect(server.logged()).toContain(JSON.stringify(reason))
  })
})

describe('contract R6: what the server refuses before the router', () => {
  let server: Running
  afterEach(() => server.close())

  it.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['bytes that are no request', 'nothing of HTTP\r\n\r\n'],
    ['a Host that is none', 'GET /none HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a Host that is no name', 'GET /none HTTP/1.1\r\nHost: a%zz\r\n\r\n'],
    [
      'an unsigned notification',
      'POST /api/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n',
    ],
    ['a path that is none', 'GET http://[/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('has one line for the first request, and one for all that follow: %s', async (_, request) => {
    server = await running({ TRUST_PROXY: '0' })
    for (let count = 0; count < 20; count++) {
      const { send, answers, socket } = await raw(server.port)
      send(request)
      expect(await answers(1)).toMatch(/^HTTP\/1\.1 400 /)
      socket.destroy()
    }
    await server.close()
    const lines = server.logged().trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: 400 },
      { count: 19, statuses: { 400: 19 }, address: expect.stringContaining('127.0.0.1') },
    ])
  })
})
