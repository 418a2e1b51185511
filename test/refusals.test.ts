import { createServer } from 'node:http'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRouter, lazyAdmin } from '../src/server/router.ts'
import {
  coupon,
  type DirectMount,
  DRAFT,
  inMemory,
  nextAddress,
  notify,
  publish,
  STRIPE_SECRET,
  sign,
  type TimedClock,
  timedClock,
} from './harness.ts'
import { listen, raw, wire } from './raw.ts'
import { type Running, running } from './running.ts'
import { soon } from './soon.ts'

const linesOf = (server: Running) =>
  server
    .logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('unusual requests', () => {
  let server: Running
  beforeAll(async () => {
    server = await running({ TRUST_PROXY: '0' })
  })

  it.each([
    ['an invalid Host', 'GET /api/none HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a Host with a path', 'GET /api/none HTTP/1.1\r\nHost: x/y\r\n\r\n'],
    ['two Host headers', 'GET /api/events HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['the same Host twice', 'GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['OPTIONS *', wire('OPTIONS *')],
    ['an invalid URL', wire('GET http://[/')],
    ['an unsigned notification', wire('POST /api/webhooks', ['Content-Length: 0'])],
  ])('contract R6: a request with %s gets 400 with a JSON error', async (_, bytes) => {
    const { answers } = await raw(server.port, bytes)
    const [head = '', body = ''] = (await answers(1)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    // An id in a response is in the log too.
    const id = /\r\nx-request-id: (\S+)/i.exec(head)?.[1] ?? ''
    await soon(() => expect(server.logged()).toContain(id))
    expect(JSON.parse(body)).toEqual({
      error: expect.any(String),
      code: expect.stringMatching(/^invalid_(request|signature)$/),
    })
  })

  it.each([
    ['without a Host', 400, 'GET /api/events HTTP/1.1\r\n\r\n'],
    ['with an impossible Expect header', 417, wire('GET /', ['Expect: a-miracle'])],
    ['with oversized headers', 431, wire('GET /', [`X-Y: ${'x'.repeat(20_000)}`])],
    ['that is not HTTP', 400, 'EHLO mail.example\r\n\r\n'],
    [
      'with both a length and chunks',
      400,
      wire('POST /api/events', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '{}'),
    ],
    ['with a broken body', 400, wire('POST /api/none', ['Transfer-Encoding: chunked'], 'zz\r\n')],
  ])('contract R10: a request %s gets %i from Node itself', async (_, status, bytes) => {
    const { answers } = await raw(server.port, bytes)
    expect(await answers(1)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^{]*$`))
    expect((await server.fetch('/healthz')).status).toBe(200)
  })

  it('contract R6: an X-Request-Id from a proxy is kept if it looks like an id', async () => {
    const server = await running({ TRUST_PROXY: '0' })
    const idOf = async (given: string) => {
      const { headers } = await server.fetch('/api/webhooks', {
        headers: { 'X-Request-Id': given },
      })
      return headers.get('x-request-id')
    }
    expect(await idOf('req-1.2_3')).toBe('req-1.2_3')
    expect(server.logged()).toContain('"requestId":"req-1.2_3"')
    for (const odd of ['a b', 'x'.repeat(65), '{"a":1}', 'é', '<x>']) {
      const id = await idOf(odd)
      expect(id).not.toBe(odd)
      expect(id).toMatch(/^[\w.-]{8,64}$/)
    }
  })

  it.each(['/healthz', '/readyz'])('%s gets 200 over HTTP/1.0 without a Host', async (path) => {
    const { answers } = await raw(server.port, `GET ${path} HTTP/1.0\r\n\r\n`)
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"ok":true/)
  })

  it("contract R6: a client that disconnects during a CONNECT doesn't crash the service", async () => {
    for (let round = 0; round < 50; round++) {
      const { socket } = await raw(server.port, wire('CONNECT x:443'))
      socket.resetAndDestroy()
      expect((await server.fetch('/healthz')).status).toBe(200)
    }
  })
})

describe('contract R6: rejected requests', () => {
  let clock: TimedClock
  let mount: DirectMount
  beforeEach(() => {
    clock = timedClock()
    mount = inMemory({}, clock)
  })

  const guess = (address: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        mount.fetch('/api/events/history', {
          headers: { Authorization: 'Bearer wrong', 'X-Forwarded-For': address },
        }),
      ),
    )

  it('from one address get one log line immediately, then a count every 10 s', async () => {
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

  it('are counted separately from failed requests, which are counted by cause', async () => {
    const causes = ['the cache is away', 'the cache is away', 'the token is wrong']
    const onChange = () => Promise.reject(new Error(causes.shift()))
    mount = inMemory({ onChange }, clock)
    await guess('192.0.2.1', 1)
    while (causes.length > 0) await publish(mount, DRAFT, { 'X-Forwarded-For': '192.0.2.1' })
    await clock.pass(10_000)
    const { lines } = mount.log
    expect(lines.filter(({ level }) => level !== 'warn')).toMatchObject([
      { level: 'info', fields: { status: 401 } },
      { level: 'error', fields: { error: { cause: { message: 'the cache is away' } } } },
      { level: 'error', fields: { error: { cause: { message: 'the token is wrong' } } } },
      { level: 'error', fields: { address: '192.0.2.1', count: 1, statuses: { 503: 1 } } },
    ])
  })

  it("are logged without the address if the path doesn't exist", async () => {
    await mount.fetch('/nowhere?of=what', { headers: { 'X-Forwarded-For': '192.0.2.1' } })
    expect(mount.log.lines).toHaveLength(1)
    expect(JSON.stringify(mount.log.lines)).not.toMatch(/192\.0\.2\.1|of=what/)
  })

  it('from addresses beyond the first thousand share a log line', async () => {
    for (let count = 0; count < 1_500; count++) {
      await guess(`10.0.${count >> 8}.${count & 255}`, 1)
    }
    await clock.pass(10_000)
    expect(mount.log.lines).toHaveLength(1_002)
    expect(mount.log.lines.at(-1)?.fields).toMatchObject({ address: 'others', count: 499 })
  })

  it("have all been logged or counted once the service has stopped, and don't suppress the log lines of writes", async () => {
    await guess('192.0.2.1', 5)
    for (let count = 0; count < 3; count++) {
      await publish(mount, undefined, { 'X-Forwarded-For': '192.0.2.1' })
    }
    expect(mount.log.lines.filter(({ fields }) => fields.status === 201)).toHaveLength(3)
    await mount.close()
    expect(mount.log.lines.at(-1)?.fields).toMatchObject({ count: 4 })
  })
})

describe('contract W1, R6: the log line of a rejected notification', () => {
  const notification = JSON.stringify(coupon('created'))
  const at = (secret: string, ms = 0) => sign(notification, secret, Date.now() - ms)
  const SIGNATURES = {
    'The Stripe-Signature header is missing': '',
    'The Stripe-Signature header is malformed; it must be t=…,v1=…': 'v1=short',
    "The signature's time is more than 5 minutes off; check this machine's clock": at(
      STRIPE_SECRET,
      600_000,
    ),
    'The signature does not match; check the signing secret': at('whsec_of-somebody-else'),
  }

  it("has the reason that the response gives or, if the body is invalid, the fault's code", async () => {
    const server = await running()
    for (const [reason, signature] of Object.entries(SIGNATURES)) {
      const headers = { 'Stripe-Signature': signature, 'X-Forwarded-For': nextAddress() }
      const init = { method: 'POST', headers, body: notification }
      const answer = await server.fetch('/api/webhooks', init)
      expect(await answer.json()).toEqual({ error: reason, code: 'invalid_signature' })
    }
    // The log has only the code, because the error's sentence might quote the sender's input.
    await notify(server, '{ "not": json }', { 'X-Forwarded-For': nextAddress() })
    await server.close()
    const reasons = [...Object.keys(SIGNATURES), 'not_json']
    expect(linesOf(server).filter(({ status }) => status === 400)).toMatchObject(
      reasons.map((reason) => ({ route: '/api/webhooks', reason })),
    )
    for (const signature of Object.values(SIGNATURES).filter(Boolean)) {
      expect(server.logged()).not.toContain(signature.slice(-12))
    }
  })

  it("names the variable that isn't set", async () => {
    const server = await running({ STRIPE_WEBHOOK_SECRET: '', NODE_ENV: 'production' })
    expect((await notify(server, notification)).status).toBe(503)
    await server.close()
    const reason = 'Notifications are off: set STRIPE_WEBHOOK_SECRET'
    expect(linesOf(server)).toContainEqual(expect.objectContaining({ status: 503, reason }))
  })
})

it('contract R6: requests get 503 until the router can be loaded', async () => {
  const { placard, log } = inMemory()
  const admin = lazyAdmin(placard, () => ({ url: 'http://placard.test' }), log)
  let loads = 0
  const adapter = () =>
    loads++ === 0
      ? Promise.reject(new Error('EMFILE: too many open files'))
      : import('@hono/node-server')
  const server = createServer(createRouter(placard, admin, log, adapter))
  const port = await listen(server)
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/readyz?token=in-a-query`, { headers: { Connection: 'close' } })
  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.text()).not.toContain('EMFILE')
  expect(JSON.stringify(log.lines)).toContain('EMFILE')
  expect(JSON.stringify(log.lines)).not.toContain('in-a-query')
  const answered = await ask()
  expect(answered.status).toBe(200)
  expect(answered.headers.get('cache-control')).toBe('no-store')
})
