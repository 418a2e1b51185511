import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { afterTest } from './after-file.ts'
import { API_SECRET } from './harness.ts'
import { soon } from './soon.ts'

/** Listens at a free port, which it returns, until the test is over, or what else is said. */
export async function listen(server: Server, after = afterTest): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** A request as it is on the wire. */
export const wire = (line: string, headers: string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`

/** What a write of this length has to have. */
export const writeHeaders = (length: number) => [
  `Authorization: Bearer ${API_SECRET}`,
  'Content-Type: application/json',
  `Content-Length: ${length}`,
]

/** A connection on which bytes are sent as they are, until the test is over. It begins with these. */
export async function raw(port: number, bytes = '', options: { allowHalfOpen?: boolean } = {}) {
  const socket: Socket = connect({ port, host: '127.0.0.1', ...options })
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  socket.on('error', () => {})
  // `once` of Node would pass on that the connection broke, as it may.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  afterTest(() => socket.destroy())
  socket.write(bytes)
  return {
    socket,
    closed,
    send: (text: string) => socket.write(text),
    received: () => received,
    /** Resolves with what has arrived, once so many answers have begun to arrive. */
    answers: async (count: number) => {
      await soon(() => expect(begun(received)).toBeGreaterThanOrEqual(count))
      return received
    },
  }
}

/** How many answers begin in what has arrived. */
export const begun = (received: string) => received.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0
