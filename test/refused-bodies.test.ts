import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { API_SECRET, inMemory, nextAddress } from './harness.ts'
import { listen } from './raw.ts'

/** How an app on Node creates the body of a `Request`. */
const HOSTS: [name: string, bodyOf: (incoming: IncomingMessage) => unknown][] = [
  ['passes the incoming message itself, as Next.js does', (incoming) => incoming],
  ['passes a web stream', (incoming) => Readable.toWeb(incoming)],
]
const CHUNKS = 200

it.each(HOSTS)(
  'contract A5, W1: in an app that %s, the connection can be reused after a rejected body',
  async (_, bodyOf) => {
    const { placard, now } = inMemory()
    const server = createServer(async (incoming, outgoing) => {
      const init = { method: 'POST', body: bodyOf(incoming), duplex: 'half' } as RequestInit
      const headers = incoming.headers as Record<string, string>
      const asked = new Request(`http://localhost${incoming.url}`, { ...init, headers })
      const response = await placard.fetch(asked)
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(await response.text())
    })
    let connections = 0
    server.on('connection', () => connections++)
    const port = await listen(server)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })

    /** Sends a body that is too large, in chunks, without stating its length. */
    async function send(path: string, headers: Record<string, string>) {
      const asking = request({ port, path, method: 'POST', agent, headers })
      for (let i = 0; i < CHUNKS; i++) asking.write('x'.repeat(2_000))
      asking.end()
      const [answer] = (await once(asking, 'response')) as [IncomingMessage]
      await text(answer)
      return answer.statusCode
    }

    for (let i = 0; i < 9; i++) {
      const headers = {
        Authorization: `Bearer ${API_SECRET}`,
        'Content-Type': 'application/json',
        'X-Forwarded-For': nextAddress(),
      }
      expect(await send('/api/events', headers)).toBe(413)
      const signature = `t=${now() / 1_000},v1=${'0'.repeat(64)}`
      expect(await send('/api/webhooks', { 'Stripe-Signature': signature })).toBe(413)
    }
    expect(connections).toBe(1)
  },
)
