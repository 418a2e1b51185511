import { existsSync } from 'node:fs'
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'

// The built server doesn't put `.env` into the environment.
if (existsSync('.env')) process.loadEnvFile()
const { env } = process

export const placard = createPlacard({
  store: sqliteStore(env.DATABASE ?? 'data/nuxt.db'),
  apiSecret: env.EVENT_API_SECRET,
  stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(env.TRUST_PROXY ?? 0),
})
