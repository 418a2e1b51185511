import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRefusalLog } from '../src/http/responder.ts'
import { answerRefusals } from '../src/server/refusals.ts'
import { queueRequests } from '../src/server/request-queue.ts'
import { faultsAgainst, OPERATIONS, resolved } from './documented.ts'
import { API_SECRET, collectedLog, DRAFT } from './harness.ts'
import { begun, raw, soon } from './raw.ts'
import { type Running, running } from './running.ts'

let mount: Running
// Each has one of its own, because the first refusal alone has a line of its own.
beforeEach(async () => {
  mount = await running()
})
afterEach(() => mount.close())

/** The answer to these bytes, and its id. */
async function answerTo(bytes: string) {
  const { send, answers, socket } = await raw(mount.port)
  send(bytes)
  const received = await answers(1)
  socket.destroy()
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const id = /^x-request-id: (.+)$/im.exec(head)?.[1] ?? ''
  return { status: Number(head.split(' ')[1]), head, body, id }
}

describe('contract R6: what the server itself refuses', () => {
  const long = 'x'.repeat(20_000)
  it.each([
    ['no Host', 400, 'GET /api/events HTTP/1.1\r\n\r\n'],
    ['a Host that is not valid', 400, 'GET /api/none HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a Host with a path', 400, 'GET /api/none HTTP/1.1\r\nHost: x/y\r\n\r\n'],
    ['OPTIONS *', 400, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['CONNECT', 405, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an expectation', 417, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n'],
    ['headers that are too large', 431, `GET / HTTP/1.1\r\nHost: x\r\nX-Y: ${long}\r\n\r\n`],
    ['a path that is too large', 431, `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['something else than HTTP', 400, 'EHLO mail.example\r\n\r\n'],
    ['another version', 400, 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', 400, 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 400, 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n'],
    [
      'a length and chunks',
      400,
      'POST /api/events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    ],
    [
      'a broken chunk',
      400,
      'POST /api/none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
  ])('%s: %i, as JSON, with an id that the log has', async (_, status, bytes) => {
    const answer = await answerTo(bytes)
    expect(answer.status).toBe(status)
    expect(answer.head).toMatch(/^content-type: application\/json/im)
    expect(JSON.parse(answer.body)).toEqual({
      error: expect.any(String),
      ...(status === 400 && { code: 'invalid_request' }),
    })
    // As the document says of every operation (contract R11).
    const lines = answer.head.split('\r\n').slice(1)
    const headers = lines.map((line) => line.split(': ', 2) as [string, string])
    const response = new Response(answer.body, { status, headers })
    for (const { responses } of OPERATIONS)
      expect(await faultsAgainst(resolved(responses.default ?? {}), response)).toEqual([])
    expect(answer.id).toMatch(/^[\w.-]{8,64}$/)
    const logged = mount
      .logged()
      .split('\n')
      .filter((line) => line.includes(answer.id))
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ requestId: answer.id, status })
    expect(logged[0]?.length).toBeLessThan(2_000)
  })
})

it.each(['/healthz', '/readyz'])('HTTP/1.0 without a Host: %s is answered 200', async (path) => {
  const { status, body } = await answerTo(`GET ${path} HTTP/1.0\r\n\r\n`)
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ ok: true })
})

it('contract R10: half a request is closed: its headers after 15 s, its body after 30 s', async () => {
  const http = process.getBuiltinModule('node:http')
  const create = vi.spyOn(http, 'createServer')
  const other = await running()
  expect(create.mock.results[0]?.value).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
  })
  expect(create.mock.calls[0]?.[0]).toMatchObject({ connectionsCheckingInterval: 1_000 })
  create.mockRestore()
  await other.close()
})

it('contract R6: a client that leaves in the middle of a CONNECT does not end the service', async () => {
  for (let round = 0; round < 50; round++) {
    const { send, socket } = await raw(mount.port)
    send('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    socket.resetAndDestroy()
    expect((await mount.fetch('/healthz')).status).toBe(200)
  }
})

it('contract R6, R10: what is broken behind whole requests is refused when these are answered', async () => {
  const { send, answers, socket } = await raw(mount.port)
  const body = JSON.stringify(DRAFT)
  const head = [
    'POST /api/events HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${API_SECRET}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const closed = once(socket, 'close')
  send(`${head.join('\r\n')}\r\n\r\n${body}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nrubbish\r\n\r\n`)
  expect((await answers(3)).match(/HTTP\/1\.1 \d+/g)).toEqual(
    ['201', '200', '400'].map((status) => `HTTP/1.1 ${status}`),
  )
  await closed
})

it('contract R6: a client that goes on sending what is refused still gets the answer, once', async () => {
  for (let round = 0; round < 5; round++) {
    const { send, received, socket } = await raw(mount.port)
    const closed = once(socket, 'close')
    send(`GET / HTTP/1.1\r\nHost: x\r\nX-Y: ${'x'.repeat(3_000_000)}\r\n\r\n`)
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 431 [\s\S]*\{"error":"[^"]+"\}$/)
    expect(begun(received())).toBe(1)
  }
})

it('contract R6: a body that breaks after its request was answered gets no second answer', async () => {
  const { send, answers, received, socket } = await raw(mount.port)
  const closed = once(socket, 'close')
  send('POST /api/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  expect(await answers(1)).toMatch(/^HTTP\/1\.1 401 /)
  send('zz\r\n')
  await closed
  expect(begun(received())).toBe(1)
})

it('contract R10: a refused client that does not leave is hung up on', async () => {
  for (const bytes of ['rubbish\r\n\r\n', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n']) {
    const { send, answers, socket } = await raw(mount.port, { allowHalfOpen: true })
    let gone = false
    socket.once('error', () => {
      gone = true
    })
    send(bytes)
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 4/)
    await soon(() => {
      send('x')
      expect(gone).toBe(true)
    })
  }
})

describe('contract R6, R10: a client that is too slow', () => {
  const log = collectedLog()
  const listener = queueRequests((request) => request.resume(), log)
  const server = createServer(
    { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 },
    listener,
  )
  let now = 0
  // Each request is the first one of its window.
  const clock = { now: () => now, monotonic: () => (now += 10_000) }
  const conceal = (text: string) => text
  const refusals = createRefusalLog({ log, clock, conceal, addressOf: () => '', background: false })
  answerRefusals(server, listener, refusals)
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  afterAll(() => server.close())
  const port = () => (server.address() as AddressInfo).port

  it.each([
    ['half of the headers', 'GET / HTTP/1.1\r\nHost:'],
    ['half of a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf'],
  ])('%s: 408, as JSON, with an id that the log has', async (_, half) => {
    let answer = ''
    // On a busy machine it may be hung up on before it has sent anything, which gets no answer.
    while (answer === '') {
      const { send, received, socket } = await raw(port())
      send(half)
      // It may even be reset while it sends.
      await once(socket, 'close').catch(() => {})
      answer = received()
    }
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*\{"error":"[^"]+"\}$/)
    const id = /^x-request-id: (.+)$/im.exec(answer)?.[1]
    const logged = log.lines.find(({ fields }) => fields.requestId === id)
    expect(logged?.fields).toMatchObject({ status: 408 })
  })

  it('one that sends nothing at all is hung up on, without a line in the log', async () => {
    const before = log.lines.length
    const { received, socket } = await raw(port())
    await once(socket, 'close')
    expect(received()).toBe('')
    expect(log.lines).toHaveLength(before)
  })
})
