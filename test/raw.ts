import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { afterTest } from './after-file.ts'
import { API_SECRET } from './harness.ts'
import { soon } from './soon.ts'

/** Listens at a free port, which it returns, until the test is over or, with another `after`, until then. */
export async function listen(server: Server, after = afterTest): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** A request as it is sent. */
export const wire = (line: string, headers: string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`

/** The headers of a valid write of this length. */
export const writeHeaders = (length: number) => [
  `Authorization: Bearer ${API_SECRET}`,
  'Content-Type: application/json',
  `Content-Length: ${length}`,
]

/** A connection on which bytes are sent as they are, first these, until the test is over. */
export async function raw(port: number, bytes = '', options: { allowHalfOpen?: boolean } = {}) {
  const socket: Socket = connect({ port, host: '127.0.0.1', ...options })
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  socket.on('error', () => {})
  // Node's `once` would reject if the connection breaks, which is allowed.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  afterTest(() => socket.destroy())
  socket.write(bytes)
  return {
    socket,
    closed,
    send: (text: string) => socket.write(text),
    received: () => received,
    /** Resolves with everything received, once this many responses have begun to arrive. */
    answers: async (count: number) => {
      await soon(() => expect(begun(received)).toBeGreaterThanOrEqual(count))
      return received
    },
  }
}

/** How many responses begin in the received text. */
export const begun = (received: string) => received.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0
