import { beforeAll, describe, expect, it } from 'vitest'
import { collectGarbage } from './gc.ts'
import { API_SECRET, clear, current, DRAFT, publish, STRIPE_SECRET } from './harness.ts'
import { begun, raw, wire } from './raw.ts'
import { type Running, running } from './running.ts'
import { soon } from './soon.ts'
import { apiSuite, rateLimitSuite } from './suites/api.ts'

apiSuite('Node server', () => running())
rateLimitSuite('Node server', () => running())

const BODY = JSON.stringify(DRAFT)
const head = (lines: string[], length = BODY.length) =>
  wire('POST /api/events', [...lines, `Content-Length: ${length}`])
const BEARER = `Authorization: Bearer ${API_SECRET}`
const JSON_TYPE = 'Content-Type: application/json'

describe('the Node server, over a raw connection', () => {
  let server: Running
  beforeAll(async () => {
    server = await running()
  })

  const from = (last: number) => `X-Forwarded-For: 203.0.113.${last}`

  it.each([
    ['401', [BEARER, 'Authorization: Bearer wrong']],
    ['401', ['Authorization: Bearer wrong', BEARER]],
    ['401', [BEARER, 'authorization: Basic eDp5']],
    ['415', [BEARER, 'Content-Type: text/plain']],
  ])('contract A4, A5: a repeated header gets %s: %j', async (status, pair) => {
    await clear(server)
    const { answers } = await raw(server.port, head([...pair, JSON_TYPE, from(1)]) + BODY)
    expect(await answers(1)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(await current(server)).toBeNull()
  })

  it('contract A2: several X-Forwarded-For headers count as one list', async () => {
    const { send, answers } = await raw(server.port)
    const twice = ['X-Forwarded-For: 203.0.113.3', 'X-Forwarded-For: 203.0.113.4']
    send(head([...twice, JSON_TYPE]) + BODY)
    await answers(1)
    send(head([JSON_TYPE, from(4)]) + BODY)
    expect((await answers(2)).match(/"write";r=\d/g)).toEqual(['"write";r=9', '"write";r=8'])
  })

  const chunked = (lines: string[]) =>
    wire('POST /api/events', [...lines, 'Transfer-Encoding: chunked'])
  const PIECE = 'x'.repeat(0x10000)
  const CHUNK = `10000\r\n${PIECE}\r\n`

  it.each([
    ['without a bearer token', 401, head([JSON_TYPE, from(13)], 1e12), PIECE],
    ['of the wrong type', 415, head([BEARER, 'Content-Type: text/plain', from(8)], 1e12), PIECE],
    ['with a stated length', 413, head([BEARER, JSON_TYPE, from(14)], 1e12), PIECE],
    ['without a stated length', 413, chunked([BEARER, JSON_TYPE, from(15)]), CHUNK],
  ])(
    "contract A4, A5: the sender of an endless body %s gets %i at once and is disconnected, and the body isn't buffered",
    async (_, status, start, piece) => {
      const { send, received, socket, closed } = await raw(server.port)
      const held = () => {
        collectGarbage()
        return process.memoryUsage().arrayBuffers / 1e6
      }
      const before = held()
      const drained = () => new Promise((resolve) => socket.once('drain', resolve))
      send(start)
      let most = 0
      for (let sent = 0; socket.writable && sent < 1_000; sent++) {
        if (!socket.write(piece)) await Promise.race([drained(), closed])
        if (sent % 100 === 99) most = Math.max(most, held() - before)
      }
      // The client tries to send 65 MB.
      expect(most).toBeLessThan(25)
      await closed
      const whole = new RegExp(
        `^HTTP/1\\.1 ${status} [\\s\\S]*\r\n\r\n\\{"error":"[^"]+"(,"code":"\\w+")?\\}$`,
      )
      expect(received()).toMatch(whole)
      expect(begun(received())).toBe(1)
      expect((await publish(server)).status).toBe(201)
    },
  )

  it("contract A5: the rest of a rejected body isn't mistaken for a request", async () => {
    const { send, answers, received } = await raw(server.port)
    send(head([BEARER, JSON_TYPE, from(6)], 100_000))
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 413 /)
    const smuggled = head([BEARER, JSON_TYPE, from(7)]) + BODY
    send(smuggled.repeat(Math.ceil(100_000 / smuggled.length)).slice(0, 100_000))
    send(wire('GET /api/events'))
    expect(await answers(2)).toMatch(/HTTP\/1\.1 200 /)
    expect(begun(received())).toBe(2)
  })

  it('contract A5: the connection stays open after a rejected body that arrived in full', async () => {
    for (const [lines, status] of [
      [[JSON_TYPE], 401],
      [[BEARER, JSON_TYPE], 413],
    ] as const) {
      const { send, answers } = await raw(server.port)
      const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`
      send(`${chunked([...lines, from(16)])}${chunk.repeat(20)}0\r\n\r\n`)
      expect(await answers(1)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      send(wire('GET /api/events'))
      expect(await answers(2)).toMatch(/HTTP\/1\.1 200 /)
    }
  })

  it("contract R6: a client that disconnects in the middle of a body isn't logged as a server error", async () => {
    const before = server.logged().length
    for (const half of [
      `${head([BEARER, JSON_TYPE, from(10)], 1_000)}{"text":`,
      'POST /api/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{',
    ]) {
      const { socket } = await raw(server.port, half)
      // Once a later request has its response, this one has reached the handler.
      await publish(server)
      socket.destroy()
    }
    const reported = () => server.logged().slice(before)
    await soon(() => expect(reported()).toMatch(/"status":400/))
    expect(reported()).not.toMatch(/"status":5|"level":50/)
  })

  it.each([
    ['an empty Host', 'GET /api/events', '', 200],
    ['another host in its URL', 'GET http://elsewhere.example/api/events', 'x', 200],
    ['a path that leads up and back', 'GET /none/../api/events', 'x', 200],
    ['a path that looks like a host', 'GET //elsewhere.example/api/events', 'x', 404],
    ['a path that leads up and out', 'GET /%00%ff/../../etc/passwd', 'x', 404],
    ['the method TRACE', 'TRACE /api/events', 'x', 405],
  ])(
    'contract R5, R6: a request with %s gets an ordinary response',
    async (_, line, host, status) => {
      const { answers } = await raw(server.port, `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      const [top = '', body = ''] = (await answers(1)).split('\r\n\r\n')
      expect(top).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(/\r\nx-request-id: /i.test(top)).toBe(status !== 200)
      expect(Object.keys(JSON.parse(body))).toEqual([status === 200 ? 'event' : 'error'])
    },
  )

  it('contract R6: nothing logged in these tests contains a secret', () => {
    expect(server.logged().length).toBeGreaterThan(500)
    for (const secret of [API_SECRET, STRIPE_SECRET]) expect(server.logged()).not.toContain(secret)
  })
})
