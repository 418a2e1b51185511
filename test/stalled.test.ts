import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeStalled } from '../src/server/stalled.ts'

/** More than the kernel takes on its own. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024)
const ASK = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

const server = createServer((_, response) => response.end(ANSWER))
closeStalled(server, 100)
let client: Socket
let theirs: Socket
beforeEach(async () => {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const connected = once(server, 'connection')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  ;[theirs] = (await connected) as [Socket]
})
afterEach(() => {
  client.destroy()
  server.close()
})

it('contract R10: who takes nothing of an answer is hung up on, and the kernel keeps none of it', async () => {
  const closed = once(theirs, 'close')
  client.pause().write(ASK)
  await closed
  const failed = once(client, 'error', { signal: AbortSignal.timeout(10_000) })
  client.resume()
  // What was on its way is dropped.
  expect(await failed).toMatchObject([{ code: 'ECONNRESET' }])
  expect(client.bytesRead).toBeLessThan(ANSWER.byteLength)
})

it('contract R10: who takes it slowly gets all of it', async () => {
  const closed = once(theirs, 'close')
  client.pause().write(ASK)
  let pauses = 0
  client.on('data', () => {
    // Far longer in all than a client without progress has, and never as long at once.
    if (client.bytesRead < (++pauses * ANSWER.byteLength) / 20) return void pauses--
    client.pause()
    setTimeout(() => client.resume(), 40)
  })
  client.resume()
  while (client.bytesRead < ANSWER.byteLength) await once(client, 'data')
  expect(pauses).toBeGreaterThan(10)
  client.end()
  await closed
  expect(client.bytesRead).toBeGreaterThan(ANSWER.byteLength)
})
