import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/store/sqlite.ts'
import { API_SECRET, type DirectMount, makePlacard, nextAddress } from './harness.ts'

/** How a host on Node makes the body of a `Request`. */
const HOSTS: [name: string, bodyOf: (incoming: IncomingMessage) => unknown][] = [
  ['gives the incoming message itself, as Next.js does', (incoming) => incoming],
  ['gives a web stream', (incoming) => Readable.toWeb(incoming)],
]
const CHUNKS = 200

describe.each(HOSTS)('a host that %s', (_, bodyOf) => {
  let mount: DirectMount
  const server = createServer(async (incoming, outgoing) => {
    const init = { method: 'POST', body: bodyOf(incoming), duplex: 'half' } as RequestInit
    const headers = incoming.headers as Record<string, string>
    const asked = new Request(`http://localhost${incoming.url}`, { ...init, headers })
    const response = await mount.placard.fetch(asked)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  beforeEach(async () => {
    mount = makePlacard(sqliteStore(':memory:'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    agent.destroy()
    server.close()
    await mount.close()
  })

  /** Sends what is too large, in chunks, and names no length. */
  async function send(path: string, headers: Record<string, string>) {
    const { port } = server.address() as AddressInfo
    const asking = request({ port, path, method: 'POST', agent, headers })
    for (let i = 0; i < CHUNKS; i++) asking.write('x'.repeat(2_000))
    asking.end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    await text(answer)
    return answer.statusCode
  }

  it('contract A5, W1: a body that is refused spoils no connection for the next request', async () => {
    let connections = 0
    server.on('connection', () => connections++)
    for (let i = 0; i < 9; i++) {
      const headers = {
        Authorization: `Bearer ${API_SECRET}`,
        'Content-Type': 'application/json',
        'X-Forwarded-For': nextAddress(),
      }
      expect(await send('/api/events', headers)).toBe(413)
      const signature = `t=${mount.now() / 1_000},v1=${'0'.repeat(64)}`
      expect(await send('/api/webhooks', { 'Stripe-Signature': signature })).toBe(413)
    }
    expect(connections).toBe(1)
  })
})
