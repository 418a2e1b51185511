import { createServer, type IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { oneAtATime } from '../src/server/pipelining.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { afterTest } from './after-file.ts'
import { current, DRAFT, makePlacard, publish } from './harness.ts'
import { emptyDatabase } from './postgres/place.ts'
import { begun, listen, raw, wire, writeHeaders } from './raw.ts'
import { running } from './running.ts'
import { soon } from './soon.ts'

const GET = wire('GET /')
const POST = wire('POST /', ['Content-Length: 2'], '{}')
const READ = wire('GET /api/events')
const BODY = JSON.stringify(DRAFT)
const WRITE = wire('POST /api/events', writeHeaders(BODY.length), BODY)

describe('HTTP pipelining', () => {
  it.each([
    ['a read from memory', '200', READ],
    ['a routed read', '200', wire('GET /healthz')],
    ['a write', '201', WRITE],
  ])(
    "contract R10: a request sent before the response to %s is dropped, and that response is the connection's last",
    async (_, status, first) => {
      const server = await running()
      const { received, closed } = await raw(
        server.port,
        first + WRITE.replace('POST', 'PUT') + READ,
      )
      await closed
      expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(begun(received())).toBe(1)
      expect(received()).toMatch(/\}$/)
      expect((await current(server))?.text).toBe(status === '201' ? DRAFT.text : undefined)
    },
  )

  it('contract R10: a client that waits for each response keeps its connection', async () => {
    const server = await running()
    const { send, answers } = await raw(server.port)
    for (let count = 1; count <= 20; count++) {
      send(count % 2 ? WRITE : READ)
      await answers(count)
    }
  })

  it.each([
    ['without bodies', GET],
    ['with bodies', POST],
  ])(
    'contract R10: a client that floods a connection with requests %s is disconnected, and only the first request is handled',
    async (_, request) => {
      const handled: IncomingMessage[] = []
      let listened = 0
      const queue = oneAtATime((one) => handled.push(one))
      const server = createServer((one, response) => {
        listened++
        queue(one, response)
      })
      const { closed } = await raw(await listen(server), request.repeat(200_000))
      await closed
      expect(handled).toHaveLength(1)
      // Node reads 64 KiB at a time, and the service closes the connection after 32 excess requests.
      expect(listened * request.length).toBeLessThan(2 * 65_536)
    },
  )

  it.each(['SQLite', 'Postgres'])(
    "contract R10: a flood of requests to a service on %s doesn't keep other clients from writing",
    async (store) => {
      const server = await running(
        store === 'SQLite' ? {} : { DATABASE_URL: await emptyDatabase() },
      )
      afterTest(() => server.close())
      for (const request of ['GET /readyz', 'POST /api/events', 'POST /api/webhooks']) {
        const { received, closed } = await raw(server.port, wire(request).repeat(1_500))
        expect((await publish(server)).status).toBe(201)
        await closed
        expect(begun(received()), request).toBeLessThanOrEqual(1)
      }
    },
  )
})

it('contract R10: simultaneous readiness checks share one database query, and later checks query again', async () => {
  const questions: { answer: () => void; fail: () => void }[] = []
  const mount = makePlacard({
    ...sqliteStore(':memory:'),
    ping: () =>
      new Promise((answer, fail) => {
        questions.push({ answer, fail: () => fail(new Error('away')) })
      }),
  })
  const ask = () => Promise.all(Array.from({ length: 50 }, () => mount.fetch('/readyz')))
  const ready = ask()
  await soon(() => expect(questions).toHaveLength(1))
  questions[0]?.answer()
  expect((await ready).every(({ status }) => status === 200)).toBe(true)
  const away = ask()
  await soon(() => expect(questions).toHaveLength(2))
  questions[1]?.fail()
  expect((await away).every(({ status }) => status >= 500)).toBe(true)
  expect(questions).toHaveLength(2)
})

describe("Node's timeouts", () => {
  it.each([
    ['0', 5],
    ['1', 620],
  ])(
    'contract R10: with TRUST_PROXY=%s, idle connections are kept for %s s, and slow requests time out',
    async (TRUST_PROXY, seconds) => {
      const create = vi.spyOn(process.getBuiltinModule('node:http'), 'createServer')
      const server = await running({ TRUST_PROXY })
      expect(create.mock.results[0]?.value).toMatchObject({
        headersTimeout: 15_000,
        requestTimeout: 30_000,
        timeout: 30_000,
        keepAliveTimeout: seconds * 1000,
      })
      expect(create.mock.calls[0]?.[0]).toMatchObject({ connectionsCheckingInterval: 1_000 })
      create.mockRestore()
      for (const answer of [await server.fetch('/api/events'), await publish(server)]) {
        expect(answer.headers.get('keep-alive')).toBe(`timeout=${seconds}`)
      }
    },
  )
})
