/** In Deno: `deno run --allow-all examples/deno/server.mjs`. */
import process from 'node:process'
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'

const { env } = process
const placard = createPlacard({
  store: sqliteStore(env.DATABASE ?? 'data/deno.db'),
  apiSecret: env.EVENT_API_SECRET ?? '',
  stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(env.TRUST_PROXY ?? 0),
})

Deno.serve({ port: Number(env.PORT ?? 3000), hostname: '127.0.0.1' }, (request, { remoteAddr }) =>
  placard.fetch(request, { address: remoteAddr.hostname }),
)
