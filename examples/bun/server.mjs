/** In Bun: `bun examples/bun/server.mjs`. */
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'

const { env } = process
const placard = createPlacard({
  store: sqliteStore(env.DATABASE ?? 'data/bun.db'),
  apiSecret: env.EVENT_API_SECRET ?? '',
  stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(env.TRUST_PROXY ?? 0),
})

Bun.serve({
  port: Number(env.PORT ?? 3000),
  hostname: '127.0.0.1',
  // The stream is silent for up to 15 s at a time; Bun would close it after 10.
  idleTimeout: 60,
  fetch: (request, server) => placard.fetch(request, server.requestIP(request) ?? {}),
})
