import { existsSync } from 'node:fs'
import { createPlacard } from 'placard'
import { sqliteStore } from 'placard/sqlite'
import { building } from '$app/environment'

// Neither the development server nor the built one puts `.env` into the environment.
if (existsSync('.env')) process.loadEnvFile()
const { env } = process

/** Building needs neither secrets nor a database, and imports this module all the same. */
export const placard = /** @type {import('placard').Placard} */ (building ? undefined : open())

function open() {
  return createPlacard({
    store: sqliteStore(env.DATABASE ?? 'data/sveltekit.db'),
    apiSecret: env.EVENT_API_SECRET,
    stripeWebhookSecret: env.STRIPE_WEBHOOK_SECRET,
    trustProxy: Number(env.TRUST_PROXY ?? 0),
  })
}
