import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from './gc.ts'
import { DRAFT, publish } from './harness.ts'
import { begun, raw, wire, writeHeaders } from './raw.ts'
import { type Running, running } from './running.ts'
import { soon } from './soon.ts'

const READ = wire('GET /api/events')
const STREAM = wire('GET /api/events/stream')
const streamFrom = (address: string, query = '') =>
  wire(`GET /api/events/stream${query}`, [`X-Forwarded-For: ${address}`])

let server: Running

const places = async () => (await server.metrics('streams')).streams

/** A client that has requested a stream and has its first message. */
async function follower(request = STREAM) {
  const client = await raw(server.port, request)
  await soon(() => expect(client.received()).toContain('data: '))
  return client
}

describe('the limit on streams', () => {
  it('contract R4, R10: a connection that requests many streams holds at most one', async () => {
    server = await running()
    const few = await follower(STREAM.repeat(3))
    const { closed } = await raw(server.port, STREAM.repeat(200))
    await closed
    await soon(async () => expect(await places()).toBe(1))
    await publish(server)
    await soon(() => expect(few.received()).toContain(DRAFT.text))
    expect(begun(few.received())).toBe(1)
  })

  it("contract R4: a stream isn't opened if it is requested on the same connection before the response to a write", async () => {
    server = await running()
    const body = JSON.stringify(DRAFT)
    const write = wire('POST /api/events', writeHeaders(body.length), body)
    const { closed, received } = await raw(server.port, write + STREAM.repeat(3))
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 201 /)
    expect(begun(received())).toBe(1)
    expect(await places()).toBe(0)
  })

  // An unknown query makes no difference.
  it.each(['', '?since=now'])(
    "contract R4: an address that takes every stream of /api/events/stream%s can't keep all others out",
    async (query) => {
      server = await running({ MAX_STREAMS: '9' })
      const open: string[] = []
      /** Whether the client gets a stream. Its name leaves the list when it is disconnected. */
      async function follow(name: string, address: string): Promise<boolean> {
        const { received, answers, closed } = await raw(server.port, streamFrom(address, query))
        closed.then(() => open.includes(name) && open.splice(open.indexOf(name), 1))
        await answers(1)
        if (received().startsWith('HTTP/1.1 200 ')) return open.push(name) > 0
        await closed
        expect(received()).toMatch(
          /^HTTP\/1\.1 503 [\s\S]*\r\nConnection: close\r\n[\s\S]*\{"error":"[^"]+"\}$/i,
        )
        return false
      }
      for (let count = 1; count <= 9; count++) await follow(`many ${count}`, '192.0.2.1')
      expect(await follow('many 10', '192.0.2.1')).toBe(false)
      // The address with the most streams loses its newest one while it has over twice as many as the client's address.
      for (const one of ['a', 'b', 'c']) expect(await follow(one, '192.0.2.2')).toBe(true)
      expect(await follow('d', '192.0.2.2')).toBe(false)
      expect(await follow('e', '192.0.2.3')).toBe(true)
      const left = ['many 1', 'many 2', 'many 3', 'many 4', 'many 5', 'a', 'b', 'c', 'e']
      await soon(() => expect(open).toEqual(left))
      expect(await places()).toBe(9)
    },
  )

  it('contract R4: an address with one stream keeps it', async () => {
    server = await running({ MAX_STREAMS: '2' })
    const statuses: string[] = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const { answers } = await raw(server.port, streamFrom(address))
      statuses.push((await answers(1)).slice(9, 12))
    }
    expect(statuses).toEqual(['200', '200', '503'])
    expect(await places()).toBe(2)
  })
})

describe('the connection of a stream', () => {
  it.each([
    ['a new connection', ''],
    ['a reused connection', READ],
  ])(
    'contract R4: if it is %s, keeps neither the request nor the response in memory',
    async (_, before) => {
      server = await running()
      const { send, answers, received } = await raw(server.port, before)
      if (before) await answers(1)
      /** The objects that Node could keep for the request, and its connection. */
      const kept: WeakRef<object>[] = []
      const sockets: Socket[] = []
      const note = (message: unknown) => {
        const { request, response } = message as Record<string, IncomingMessage | ServerResponse>
        for (const one of [request, response]) kept.push(new WeakRef(one as object))
        sockets.push(request?.socket as Socket)
      }
      subscribe('http.server.request.start', note)
      send(STREAM)
      await soon(() => expect(received()).toContain('data: ')).finally(() =>
        unsubscribe('http.server.request.start', note),
      )
      expect(kept).toHaveLength(2)
      await soon(() => {
        collectGarbage()
        expect(kept.filter((ref) => ref.deref() !== undefined)).toEqual([])
      })
      // No timeout ends it between two changes.
      expect(sockets[0]?.timeout ?? 0).toBe(0)
      await publish(server)
      await soon(() => expect(received()).toContain(DRAFT.text))
      expect(await places()).toBe(1)
    },
  )

  it('contract R4: is closed if half a request follows', async () => {
    server = await running()
    const { send, received, closed } = await follower(`${STREAM}GET /api/ev`)
    send('ents HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed
    expect(begun(received())).toBe(1)
    await soon(async () => expect(await places()).toBe(0))
  })

  it('contract R4: delivers the first message and then ends if its client closes its side', async () => {
    server = await running()
    const { send, received, socket } = await raw(server.port, '', { allowHalfOpen: true })
    const ended = once(socket, 'end')
    socket.end(STREAM)
    await ended
    expect(received()).toContain('data: ')
    await soon(async () => expect(await places()).toBe(0))
    expect(send('x')).toBe(false)
  })

  it('contract R4: frees its stream when it is reset, and the service keeps running', async () => {
    server = await running()
    const { socket } = await follower()
    socket.resetAndDestroy()
    await soon(async () => expect(await places()).toBe(0))
  })

  it("contract R4: becomes a stream even if the request has a body, which isn't mistaken for a request", async () => {
    server = await running()
    const request = wire('GET /api/events/stream', ['Content-Length: 4'])
    const { send, received } = await follower(request)
    send('body')
    await publish(server)
    await soon(() => expect(received()).toContain(DRAFT.text))
  })

  it.each([
    ['/api/events', '{"event":null}'],
    ['/api/events/stream', 'data: '],
  ])(
    'contract R10: a request for %s with an Upgrade header gets its response in HTTP/1.1',
    async (path, answer) => {
      server = await running()
      const { send, received } = await raw(server.port)
      send(wire(`GET ${path}`, ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c']))
      await soon(() => expect(received()).toContain(answer))
      expect(received()).toMatch(/^HTTP\/1\.1 200 /)
    },
  )
})
