/** In a Hono app: `node examples/hono/server.mjs`. */
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'

const { env } = process
const placard = createPlacard({
  store: sqliteStore(env.DATABASE ?? 'data/hono.db'),
  apiSecret: env.EVENT_API_SECRET ?? '',
  stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(env.TRUST_PROXY ?? 0),
})

const app = new Hono()
app.get('/', async (c) => c.text((await placard.current())?.text ?? 'Nothing to announce'))
// Elsewhere than on Node, take `getConnInfo` from the adapter of that runtime.
app.all('/api/*', (c) => placard.fetch(c.req.raw, getConnInfo(c).remote))

const server = serve({ fetch: app.fetch, port: Number(env.PORT ?? 3000), hostname: '127.0.0.1' })

process.once('SIGTERM', () => {
  placard.streams.close()
  server.close(() => placard.close())
})
