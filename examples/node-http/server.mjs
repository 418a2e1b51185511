/** In a bare Node server: `node examples/node-http/server.mjs`. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'

const { env } = process
const placard = createPlacard({
  store: sqliteStore(env.DATABASE ?? 'data/node-http.db'),
  apiSecret: env.EVENT_API_SECRET ?? '',
  stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(env.TRUST_PROXY ?? 0),
})

const server = createServer(async (incoming, outgoing) => {
  const { method, url, headersDistinct, socket } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
    values.map((value) => [name, value]),
  )
  try {
    const request = new Request(`http://localhost${url}`, {
      method,
      headers,
      ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
    })
    const response = await placard.fetch(request, { address: socket.remoteAddress })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body) await pipeline(Readable.fromWeb(response.body), outgoing)
    else outgoing.end()
  } catch {
    // What is no request, or whose sender has gone.
    if (!outgoing.headersSent) outgoing.writeHead(400)
    outgoing.end()
  }
})
server.listen(Number(env.PORT ?? 3000), '127.0.0.1')

process.once('SIGTERM', () => {
  placard.streams.close()
  server.close(() => placard.close())
})
