import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { postgresStore } from '../../../src/store/postgres.ts'
import { sqliteStore } from '../../../src/store/sqlite.ts'
import { simulatedId } from '../../../src/stripe/notification-types.ts'
import { coupon, SECRETS } from '../../harness.ts'
import { emptyDatabase } from '../../postgres/place.ts'
import { site } from '../../site.ts'
import { temporaryDirectory } from '../../stores.ts'
import { KEY, startFakeStripe, type Trouble } from '../../stripe/fake.ts'
import { after, announce, behind, deliver, front, mounted, open, patient } from '../stage.ts'
import type { Faults } from './fault.ts'

const stripe = async () => open(await startFakeStripe(Date.now))
const withKey = (url: string) => ({ STRIPE_API_KEY: KEY, STRIPE_API_URL: url })
const onFile = () => sqliteStore(join(temporaryDirectory(), 'placard.db'))
const clockOff = (ms: number) => ({
  clock: { now: () => Date.now() + ms, monotonic: () => performance.now() },
})
/** A service whose requests to Stripe fail in this way. */
async function troubled(trouble: (path: string) => Trouble | undefined) {
  const fake = await stripe()
  fake.trouble = trouble
  return patient(withKey(fake.url))
}

/** A service that got notifications of coupons that its key can't retrieve. */
async function elsewhere(...notifications: object[]) {
  const served = patient({ ...SECRETS, ...withKey((await stripe()).url) })
  return after(served, async (it) => {
    for (const one of notifications) await deliver(it, one)
  })
}

/** Faults in clocks, proxies, streams, caches and Stripe. */
export const SURROUNDINGS: Faults = {
  "a clock that differs from Postgres's": {
    plant: async () => {
      const store = postgresStore(await emptyDatabase())
      return { ...(await mounted({ store, ...clockOff(-200_000) })), settleMs: 3_000 }
    },
    finds: ['fail clock', /is 3 min behind Postgres's/, /chrony/],
  },
  "a clock that differs from Stripe's": {
    plant: async () => {
      const asking = { apiKey: KEY, apiUrl: (await stripe()).url }
      return mounted({ store: onFile(), ...clockOff(200_000), stripe: asking })
    },
    finds: ['warn clock', /is 3 min ahead of Stripe's/, /chrony/],
  },
  'a service with all its streams in use': {
    plant: () =>
      after(patient({ MAX_STREAMS: '1' }), async ({ address }) => {
        const stream = request(`${address}/api/events/stream`).end()
        await once(stream, 'response')
        open({ close: () => stream.destroy() })
      }),
    finds: ['fail streams', /All 1 streams are in use/, /Raise MAX_STREAMS/],
  },
  'an untrusted proxy': {
    plant: async () => behind(await front(), { TRUST_PROXY: '0' }),
    finds: ['fail proxy', /TRUST_PROXY is 0.* came with 1 .*look like one/, /TRUST_PROXY to 1/],
  },
  'a trusted proxy that names no client': {
    plant: async () => behind(await front({}, false)),
    finds: ['fail proxy', /TRUST_PROXY is 1.* came with 0 /, /append the client/],
  },
  'one proxy that counts as two': {
    plant: async () => behind(await front(), { TRUST_PROXY: '2' }),
    finds: ['fail proxy', /TRUST_PROXY is 2.* came with 1 /, /TRUST_PROXY to 1/],
  },
  'a trusted proxy that has forwarded no request yet, and no PUBLIC_URL': {
    plant: () => patient({ TRUST_PROXY: '1' }),
    finds: ['warn proxy', /TRUST_PROXY is 1.* came with 0 /, /^Set PUBLIC_URL/],
  },
  'a cache in front that rejects the token': {
    plant: async () => {
      const { url } = await site(403, {}, 'the token is wrong')
      const purge = { PURGE: `varnish:${url}`, PURGE_TOKEN: 'a-wrong-token-of-ours' }
      return after(patient({ ...SECRETS, ...purge }), (it) => announce(it, 'Not purged', 503))
    },
    finds: ['fail purge', /gets 503.* answered 403\. Is PURGE_TOKEN right/, /Start the cache, /],
  },
  'a key that Stripe has revoked': {
    plant: async () => {
      const { url, keys } = await stripe()
      keys.clear()
      return patient(withKey(url))
    },
    finds: ['fail stripe-key', /rejects the key \(401\)/, /create a restricted key .* restart/],
  },
  'a key that may not list events': {
    plant: () => troubled((path) => (path === '/v1/events' ? { status: 403 } : undefined)),
    finds: ['fail stripe-key', /permission to read events \(403\)/, /permission to read events$/],
  },
  "a key of another account than the published coupon's": {
    plant: async () => {
      const created = (await stripe()).create({ id: 'THEIRS' })
      return elsewhere({ ...created, id: 'evt_of_another_account' })
    },
    finds: ['fail stripe-key', /coupon THEIRS: .* another account/, /a key of the account/],
  },
  "a key of another mode than the notifications', with nothing published": {
    plant: async () => {
      const event = (await stripe()).create({ id: 'THEIRS', metadata: {} })
      const madeUp = coupon('created', { featured: false }, event.created + 1, simulatedId())
      return elsewhere({ ...event, id: 'evt_of_another_mode' }, madeUp)
    },
    finds: ['fail stripe-key', /the notification evt_of_another_mode: /, /a key of the account/],
  },
  "an account over Stripe's rate limit": {
    plant: () => troubled(() => ({ status: 429, headers: { 'Retry-After': '7' } })),
    finds: ['warn stripe-key', /gave no answer: .*(429|wait)/, /find the program/],
  },
}
