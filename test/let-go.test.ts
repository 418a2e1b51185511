import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { API_SECRET, DRAFT, nextAddress, publish } from './harness.ts'
import { begun, raw, soon } from './raw.ts'
import { type Running, running } from './running.ts'

const READ = 'GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n'
const STREAM = 'GET /api/events/stream HTTP/1.1\r\nHost: x\r\n\r\n'

v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('the connection of a stream', () => {
  let server: Running
  beforeEach(async () => {
    server = await running({ TRUST_PROXY: '1' })
  })
  afterEach(() => server.close())

  async function places(): Promise<number> {
    const headers = { Authorization: `Bearer ${API_SECRET}`, 'X-Forwarded-For': nextAddress() }
    const text = await (await server.fetch('/metrics', { headers })).text()
    return Number(/^placard_streams (\d+)/m.exec(text)?.[1])
  }

  /** What this process would keep for the requests that begin while the test works, and their connections. */
  async function noted(work: () => Promise<unknown>) {
    const kept: WeakRef<object>[] = []
    const sockets: Socket[] = []
    const note = (message: unknown) => {
      const { request, response } = message as {
        request: IncomingMessage
        response: ServerResponse
      }
      kept.push(new WeakRef(request), new WeakRef(response))
      sockets.push(request.socket)
    }
    subscribe('http.server.request.start', note)
    await work().finally(() => unsubscribe('http.server.request.start', note))
    return { kept, socket: sockets[0] }
  }

  it.each([
    ['a new connection', ''],
    ['a connection that was used before', READ],
  ])('contract R4: a stream on %s keeps no request and no response', async (_, before) => {
    const { send, answers, received } = await raw(server.port)
    if (before) send(before)
    if (before) await answers(1)
    const { kept, socket } = await noted(async () => {
      send(STREAM)
      await soon(() => expect(received()).toContain('data: '))
    })
    expect(kept).toHaveLength(2)
    await soon(() => {
      collectGarbage()
      expect(kept.filter((ref) => ref.deref() !== undefined)).toEqual([])
    })
    // Nothing ends it between two changes.
    expect(socket?.timeout ?? 0).toBe(0)
    await publish(server)
    await soon(() => expect(received()).toContain(DRAFT.text))
    expect(await places()).toBe(1)
  })

  it('contract R4: half a request behind a stream is hung up on', async () => {
    const { send, received, socket } = await raw(server.port)
    const closed = once(socket, 'close')
    send(`${STREAM}GET /api/ev`)
    await soon(() => expect(received()).toContain('data: '))
    send('ents HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed
    expect(begun(received())).toBe(1)
    await soon(async () => expect(await places()).toBe(0))
  })

  it('contract R4: a client that ends its side gets what was sent, then the end', async () => {
    const { send, received, socket } = await raw(server.port, { allowHalfOpen: true })
    const ended = once(socket, 'end')
    socket.end(STREAM)
    await ended
    expect(received()).toContain('data: ')
    await soon(async () => expect(await places()).toBe(0))
    expect(send('x')).toBe(false)
  })

  it('contract R4: a connection that is reset makes room, and the service lives', async () => {
    const { send, received, socket } = await raw(server.port)
    send(STREAM)
    await soon(() => expect(received()).toContain('data: '))
    socket.resetAndDestroy()
    await soon(async () => expect(await places()).toBe(0))
  })

  it('contract R4: a request with a body gets a stream, and its body is not taken for a request', async () => {
    const { send, received, socket } = await raw(server.port)
    send(STREAM.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\n'))
    await soon(() => expect(received()).toContain('data: '))
    send('body')
    await publish(server)
    await soon(() => expect(received()).toContain(DRAFT.text))
    socket.destroy()
  })

  it.each([
    ['/api/events', '{"event":null}'],
    ['/api/events/stream', 'data: '],
  ])(
    'contract R10: a request for %s that asks for another protocol is answered in this one',
    async (path, answer) => {
      const { send, received, socket } = await raw(server.port)
      send(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n`,
      )
      await soon(() => expect(received()).toContain(answer))
      expect(received()).toMatch(/^HTTP\/1\.1 200 /)
      socket.destroy()
    },
  )
})
