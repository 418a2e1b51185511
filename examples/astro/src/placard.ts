import { existsSync } from 'node:fs'
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'

// Neither the development server nor the built one puts `.env` into the environment.
if (existsSync('.env')) process.loadEnvFile()
const { env } = process

export const placard = createPlacard({
  store: sqliteStore(env.DATABASE ?? 'data/astro.db'),
  apiSecret: env.EVENT_API_SECRET,
  stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(env.TRUST_PROXY ?? 0),
})
