import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { API_SECRET, DRAFT, nextAddress, publish } from './harness.ts'
import { begun, raw, soon } from './raw.ts'
import { type Running, running } from './running.ts'
import { temporaryDirectory } from './stores.ts'

const STREAM = 'GET /api/events/stream HTTP/1.1\r\nHost: x\r\n\r\n'
const streamFrom = (address: string) =>
  STREAM.replace('Host: x', `Host: x\r\nX-Forwarded-For: ${address}`)

describe('places among the streams', () => {
  let server: Running
  afterEach(() => server.close())

  async function places(): Promise<number> {
    const headers = { Authorization: `Bearer ${API_SECRET}`, 'X-Forwarded-For': nextAddress() }
    const text = await (await server.fetch('/metrics', { headers })).text()
    return Number(/^placard_streams (\d+)/m.exec(text)?.[1])
  }

  it('contract R4: a connection has one at most, however many it asks for', async () => {
    server = await running()
    const { send, answers, received, socket } = await raw(server.port)
    send(STREAM.repeat(200))
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/)
    await publish(server)
    await soon(() => expect(received()).toContain(DRAFT.text))
    expect(await places()).toBe(1)
    expect(begun(received())).toBe(1)
    // The service notices when such a reader leaves, though it doesn't work on what that sent.
    socket.destroy()
    await soon(async () => expect(await places()).toBe(0))
  })

  it('contract R4: a stream behind another answer waits without a place', async () => {
    const path = join(temporaryDirectory(), 'placard.db')
    server = await running({ DATABASE_URL: `file:${path}` })
    const writer = new DatabaseSync(path)
    const { send, answers, socket } = await raw(server.port)
    const body = JSON.stringify(DRAFT)
    const headers = [
      `Authorization: Bearer ${API_SECRET}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    // A write waits for another process that is writing, and what is behind it waits for the write.
    writer.exec('begin immediate')
    send(`${['POST /api/events HTTP/1.1', 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`)
    send(STREAM.repeat(3))
    expect(await places()).toBe(0)
    writer.exec('rollback')
    writer.close()
    expect(await answers(2)).toMatch(/^HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 200 /)
    await soon(async () => expect(await places()).toBe(1))
    socket.destroy()
  })

  it.each(['', '?since=now'])(
    'contract R4: a stream that finds no place is refused, and its connection closed (%s)',
    async (query) => {
      server = await running({ MAX_STREAMS: '2' })
      const followers = [await raw(server.port), await raw(server.port)]
      for (const { send, answers } of followers) {
        send(STREAM)
        expect(await answers(1)).toMatch(/^HTTP\/1\.1 200 /)
      }
      const { send, received, socket } = await raw(server.port)
      const closed = once(socket, 'close')
      send(STREAM.replace('stream', `stream${query}`))
      await closed
      expect(received()).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nConnection: close\r\n/i)
      expect(received()).toMatch(/\{"error":"[^"]+"\}$/)
      for (const follower of followers) follower.socket.destroy()
    },
  )

  it.each(['', '?since=now'])(
    'contract R4: no address keeps all others out by taking every place (%s)',
    async (query) => {
      server = await running({ MAX_STREAMS: '9' })
      const open: string[] = []
      /** Whether it is let in. Its name leaves the list when it is hung up on. */
      async function follow(name: string, address: string): Promise<boolean> {
        const { send, received, answers, socket } = await raw(server.port)
        socket.on('close', () => open.includes(name) && open.splice(open.indexOf(name), 1))
        send(streamFrom(address).replace('stream', `stream${query}`))
        await answers(1)
        const isIn = received().startsWith('HTTP/1.1 200 ')
        if (isIn) open.push(name)
        return isIn
      }
      for (let count = 1; count <= 9; count++) await follow(`many ${count}`, '192.0.2.1')
      expect(await follow('many 10', '192.0.2.1')).toBe(false)
      // The newest of the address that holds most gives way, as long as that holds more than twice as many.
      for (const one of ['a', 'b', 'c']) expect(await follow(one, '192.0.2.2')).toBe(true)
      expect(await follow('d', '192.0.2.2')).toBe(false)
      expect(await follow('e', '192.0.2.3')).toBe(true)
      await soon(() =>
        expect(open).toEqual([
          'many 1',
          'many 2',
          'many 3',
          'many 4',
          'many 5',
          'a',
          'b',
          'c',
          'e',
        ]),
      )
      expect(await places()).toBe(9)
    },
  )

  it('contract R4: who holds one place keeps it', async () => {
    server = await running({ MAX_STREAMS: '2' })
    const asked: Awaited<ReturnType<typeof raw>>[] = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const one = await raw(server.port)
      one.send(streamFrom(address))
      await one.answers(1)
      asked.push(one)
    }
    expect(asked.map(({ received }) => received().slice(9, 12))).toEqual(['200', '200', '503'])
    expect(await places()).toBe(2)
    for (const { socket } of asked) socket.destroy()
  })
})
