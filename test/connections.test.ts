import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { silent } from '../src/core/log.ts'
import { lookAfter } from '../src/server/connections.ts'
import { queueRequests } from '../src/server/request-queue.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { afterTest } from './after-file.ts'
import { collectedLog, makePlacard, publish } from './harness.ts'
import { emptyDatabase } from './postgres/place.ts'
import { begun, listen, raw, soon, wire } from './raw.ts'
import { running } from './running.ts'

const GET = wire('GET /')
const POST = wire('POST /', ['Content-Length: 2'], '{}')

describe('requests that are sent ahead of answers', () => {
  /** A server that collects its requests, and answers them when a test says so. */
  async function serve() {
    const log = collectedLog()
    const asked: { request: IncomingMessage; answer: () => ServerResponse }[] = []
    const work = (request: IncomingMessage, response: ServerResponse) => {
      asked.push({ request, answer: () => response.end(request.url) })
    }
    const server = createServer({ optimizeEmptyRequests: true }, queueRequests(work, log))
    const connections: Socket[] = []
    server.on('connection', (socket) => connections.push(socket))
    return { asked, connections, log, port: await listen(server) }
  }

  /** Resolves when everything that was sent before has been read, if it is read at all. */
  async function roundTrips(port: number, asked: { answer: () => void }[]) {
    for (let round = 0; round < 5; round++) {
      const before = asked.length
      const other = await raw(port, GET)
      await soon(() => expect(asked.length).toBeGreaterThan(before))
      asked.at(-1)?.answer()
      await other.answers(1)
    }
  }

  it('contract R10: one is worked on at a time, in order', async () => {
    const { asked, port } = await serve()
    const paths = ['/a', '/b', '/c', '/d']
    const { received } = await raw(port, paths.map((path) => GET.replace('/', path)).join(''))
    for (const [index, path] of paths.entries()) {
      await soon(() => expect(asked).toHaveLength(index + 1))
      expect(asked[index]?.request.url).toBe(path)
      asked[index]?.answer()
    }
    await soon(() => expect(received().match(/\/[a-d](?=HTTP|$)/g)).toEqual(paths))
  })

  it('contract R10: what is ready is sent after what else has arrived was read', async () => {
    const order: string[] = []
    const work = (_: IncomingMessage, response: ServerResponse) => {
      // Runs when Node has read this connection, and before it reads the next.
      process.nextTick(() => order.push('read'))
      return () => {
        order.push('sent')
        response.end()
      }
    }
    const { answers } = await raw(await listen(createServer(queueRequests(work, silent))), GET)
    await answers(1)
    expect(order).toEqual(['read', 'sent'])
  })

  it('contract R10: all are answered to a client that half-closes its connection', async () => {
    const server = await running()
    const { send, socket, answers, closed } = await raw(server.port, '', { allowHalfOpen: true })
    send(wire('GET /api/events').repeat(5))
    socket.end()
    await answers(5)
    await closed
  })

  it.each([
    ['without a body', GET],
    ['with a body', POST],
  ])('contract R10: %s, the connection is not read on while some wait', async (_, request) => {
    const { asked, connections, port } = await serve()
    await raw(port, request.repeat(Math.ceil(8_000_000 / request.length)))
    await soon(() => expect(asked).toHaveLength(1))
    await roundTrips(port, asked)
    // One read is 64 KiB. The first may have held only one request.
    expect(connections[0]?.bytesRead).toBeLessThanOrEqual(2 * 65_536)
    const read = connections[0]?.bytesRead ?? 0
    const ahead = () => asked.filter(({ request: { socket } }) => socket === connections[0])
    for (let round = 1; round < 10; round++) {
      ahead().at(-1)?.answer()
      await soon(() => expect(ahead()).toHaveLength(round + 1))
      await roundTrips(port, asked)
    }
    expect(connections[0]?.bytesRead).toBe(read)
  })

  it('contract R10: what waits on a connection that is gone is not worked on', async () => {
    const { asked, connections, port } = await serve()
    await raw(port, GET.repeat(3))
    await soon(() => expect(asked).toHaveLength(1))
    const closed = once(connections[0] as Socket, 'close')
    connections[0]?.destroy()
    await closed
    await roundTrips(port, asked)
    expect(asked.filter(({ request }) => request.socket === connections[0])).toHaveLength(1)
  })

  it('contract R10: when too many wait on all connections, the one with most is closed, the others go on', async () => {
    const { asked, log, port } = await serve()
    const small = 'GET / HTTP/1.1\r\nHost:\r\n\r\n'
    const clients: Awaited<ReturnType<typeof raw>>[] = []
    for (const many of [1_700, 2_000, 1_800, 1_750, 1_700]) {
      clients.push(await raw(port, small.repeat(many)))
      await soon(() => expect(asked).toHaveLength(clients.length))
    }
    await once(clients[1]?.socket as Socket, 'close')
    expect(log.lines.map(({ message }) => message)).toEqual([
      'closed a connection with too many requests waiting',
    ])
    for (const index of [0, 2, 3, 4]) {
      asked[index]?.answer()
      await clients[index]?.answers(1)
    }
  })

  it.each(['SQLite', 'Postgres'])(
    'contract R10: on %s another client need not wait for them',
    async (store) => {
      const server = await running(
        store === 'SQLite' ? {} : { DATABASE_URL: await emptyDatabase() },
      )
      afterTest(() => server.close())
      await server.fetch('/readyz')
      for (const request of ['GET /readyz', 'GET /api/events', 'POST /api/events']) {
        const { answers, received } = await raw(server.port, wire(request).repeat(1_500))
        await answers(1)
        await server.fetch('/api/events')
        expect(begun(received()), request).toBeLessThan(500)
      }
    },
  )
})

it('contract R10: readiness asks the database once for all who wait, and again for the next', async () => {
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

describe('a connection between two requests', () => {
  it.each([
    ['0', '5'],
    ['1', '620'],
  ])(
    'contract R10: with TRUST_PROXY=%s is kept for %s s, after a read and after a write',
    async (TRUST_PROXY, seconds) => {
      const server = await running({ TRUST_PROXY })
      for (const answer of [await server.fetch('/api/events'), await publish(server)]) {
        expect(answer.headers.get('keep-alive')).toBe(`timeout=${seconds}`)
      }
    },
  )

  it('contract R10: an idle connection is closed, and one with a request under way or half sent is not', async () => {
    const pending: ServerResponse[] = []
    const server = createServer(
      queueRequests(({ url }, response) => {
        if (url === '/slow') pending.push(response)
        else response.end()
      }, silent),
    )
    lookAfter(server, 500)
    const port = await listen(server)
    const ask = (path: string) => {
      const socket = connect(port, '127.0.0.1').resume()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      return socket
    }
    const client = ask('/slow')
    let isSlowClosed = false
    client.on('close', () => {
      isSlowClosed = true
    })
    const half = ask('/')
    await once(half, 'data')
    half.write('GET / HTTP/1.1\r\n')
    // A look that closes by age alone has closed the first by the time that the second of these is closed.
    for (let turn = 0; turn < 2; turn++) await once(ask('/'), 'close')
    expect(isSlowClosed).toBe(false)
    half.write('Host: x\r\n\r\n')
    await once(half, 'data', { signal: AbortSignal.timeout(10_000) })
    const closed = once(client, 'close')
    pending[0]?.end()
    await closed
  })
})

describe('a client that takes nothing of its answer', () => {
  /** More than the kernel takes on its own. */
  const ANSWER = Buffer.alloc(32 * 1024 * 1024)

  let client: Socket
  afterEach(() => void client.destroy())

  /** A client that has asked, on a server that looks after so many ms; and how that one's end of the connection closes. */
  async function ask(ms: number): Promise<{ closed: Promise<unknown> }> {
    const server = createServer(queueRequests((_, response) => response.end(ANSWER), silent, ms))
    lookAfter(server, 5_000)
    const port = await listen(server)
    const connected = once(server, 'connection')
    client = connect(port, '127.0.0.1')
    const [theirs] = (await connected) as [Socket]
    const closed = once(theirs, 'close')
    client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return { closed }
  }

  it('contract R10: who takes nothing of an answer is hung up on, and the kernel keeps none of it', async () => {
    const { closed } = await ask(100)
    await closed
    const failed = once(client, 'error', { signal: AbortSignal.timeout(10_000) })
    client.resume()
    // What was on its way is dropped.
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }])
    expect(client.bytesRead).toBeLessThan(ANSWER.byteLength)
  })

  it('contract R10: who takes it slowly gets all of it', async () => {
    const { closed } = await ask(1_500)
    let pauses = 0
    client.on('data', () => {
      // Longer in all than a client without progress has, and far shorter each time.
      if (client.bytesRead < ((pauses + 1) * ANSWER.byteLength) / 20) return
      pauses++
      client.pause()
      setTimeout(() => client.resume(), 100)
    })
    client.resume()
    while (client.bytesRead < ANSWER.byteLength) await once(client, 'data')
    expect(pauses).toBeGreaterThan(10)
    client.end()
    await closed
    expect(client.bytesRead).toBeGreaterThan(ANSWER.byteLength)
  })
})
