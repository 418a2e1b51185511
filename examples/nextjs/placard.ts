import { createNextPlacard } from 'placard/next'
import { postgresStore } from 'placard/postgres'
import { sqliteStore } from 'placard/sqlite'

const database = process.env.DATABASE_URL ?? 'file:data/placard.db'

export const placard = createNextPlacard(() => ({
  store: database.startsWith('file:')
    ? sqliteStore(database.slice('file:'.length))
    : postgresStore(database),
  apiSecret: process.env.EVENT_API_SECRET ?? '',
  stripeWebhookSecret: process.env.STRIPE_WEBHOOK_SECRET,
  trustProxy: Number(process.env.TRUST_PROXY ?? 0),
}))
