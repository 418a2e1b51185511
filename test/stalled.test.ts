import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { silent } from '../src/core/log.ts'
import { lookAfter } from '../src/server/connections.ts'
import { queueRequests } from '../src/server/request-queue.ts'
import { listen } from './raw.ts'

/** More than the kernel takes on its own. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024)

let server: Server
let client: Socket
afterEach(() => void client.destroy())

/** A client that has asked, on a server that looks after so many ms; and how that one's end of the connection closes. */
async function ask(ms: number): Promise<{ closed: Promise<unknown> }> {
  server = createServer(queueRequests((_, response) => response.end(ANSWER), silent, ms))
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

it('contract R10: an idle connection is closed, and one with a request under way is not', async () => {
  const pending: ServerResponse[] = []
  server = createServer(
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
  client = ask('/slow')
  let isSlowClosed = false
  client.on('close', () => {
    isSlowClosed = true
  })
  // A look that closes by age alone has closed the first by the time that the second of these is closed.
  for (let turn = 0; turn < 2; turn++) await once(ask('/'), 'close')
  expect(isSlowClosed).toBe(false)
  const closed = once(client, 'close')
  pending[0]?.end()
  await closed
})
