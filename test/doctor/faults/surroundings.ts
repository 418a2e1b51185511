import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { postgresStore } from '../../../src/store/postgres.ts'
import { sqliteStore } from '../../../src/store/sqlite.ts'
import { madeUpId } from '../../../src/stripe/notification-types.ts'
import { coupon, httpMount, notify } from '../../harness.ts'
import { emptyDatabase } from '../../postgres/place.ts'
import { site } from '../../site.ts'
import { temporaryDirectory } from '../../stores.ts'
import { KEY, startFakeStripe } from '../../stripe/fake.ts'
import { announce, behind, front, mounted, open, type Patient, patient, SECRETS } from '../stage.ts'
import type { Fault } from './fault.ts'

async function deliver({ address }: Patient, notification: object) {
  const mount = httpMount(address, SECRETS.EVENT_API_SECRET, SECRETS.STRIPE_WEBHOOK_SECRET)
  const { status } = await notify(mount, notification)
  if (status !== 200) throw new Error(`It was answered ${status}`)
}

const stripe = async () => open(await startFakeStripe(Date.now))
const withKey = (url: string) => ({ STRIPE_API_KEY: KEY, STRIPE_API_URL: url })

export const CLOCKS: Fault[] = [
  {
    name: 'a clock that Postgres does not share',
    plant: async () => {
      const clock = { now: () => Date.now() - 90_000, monotonic: () => performance.now() }
      return {
        ...(await mounted({ store: postgresStore(await emptyDatabase()), clock })),
        settleMs: 3_000,
      }
    },
    finds: ['fail clock', /is 90 s behind that of Postgres/, /chrony/],
  },
  {
    name: 'a clock that Stripe does not share',
    plant: async () => {
      const { url } = await stripe()
      const clock = { now: () => Date.now() + 200_000, monotonic: () => performance.now() }
      const store = sqliteStore(join(temporaryDirectory(), 'placard.db'))
      return mounted({ store, clock, stripe: { apiKey: KEY, apiUrl: url } })
    },
    finds: ['warn clock', /is 3 min ahead of that of Stripe/, /chrony/],
  },
]

/** In how visitors and their proxies come. */
export const VISITORS: Fault[] = [
  {
    name: 'a stream without a place left',
    plant: async () => {
      const served = await patient({ MAX_STREAMS: '1' })
      const stream = request(`${served.address}/api/events/stream`).end()
      await once(stream, 'response')
      open({ close: () => stream.destroy() })
      return served
    },
    finds: ['fail streams', /All 1 places are taken/, /Raise MAX_STREAMS/],
  },
  {
    name: 'a proxy that is not trusted',
    plant: async () => behind(await front(), { TRUST_PROXY: '0' }),
    finds: ['fail proxy', /TRUST_PROXY is 0.* came with 1 .*count as one/, /TRUST_PROXY to 1/],
  },
  {
    name: 'a proxy that is trusted, and names no client',
    plant: async () => behind(await front({ forwards: false })),
    finds: ['fail proxy', /TRUST_PROXY is 1.* came with 0 /, /append the client/],
  },
  {
    name: 'a proxy that is trusted twice',
    plant: async () => behind(await front(), { TRUST_PROXY: '2' }),
    finds: ['fail proxy', /TRUST_PROXY is 2.* came with 1 /, /TRUST_PROXY to 1/],
  },
  {
    name: 'visitors through a proxy that is not trusted, and no PUBLIC_URL',
    plant: async () => {
      const proxy = await front()
      const served = await behind(proxy, { TRUST_PROXY: '0', PUBLIC_URL: '' })
      for (let visit = 0; visit < 6; visit++) await fetch(`${proxy.url}/embed.html`)
      return served
    },
    finds: [
      'warn proxy',
      /0, and 6 of 6 requests came with X-Forwarded-For/,
      /the number of proxies/,
    ],
  },
  {
    name: 'a trusted proxy that nothing has shown yet, and no PUBLIC_URL',
    plant: () => patient({ TRUST_PROXY: '1' }),
    finds: ['warn proxy', /TRUST_PROXY is 1, and 0 of \d requests/, /^Set PUBLIC_URL/],
  },
  {
    name: 'visitors from elsewhere that no trusted proxy names, and no PUBLIC_URL',
    plant: async () => {
      const store = sqliteStore(join(temporaryDirectory(), 'placard.db'))
      const served = await mounted({ store, trustProxy: 1 }, '203.0.113.9')
      for (let visit = 0; visit < 6; visit++) await fetch(`${served.address}/api/events`)
      return served
    },
    finds: ['warn proxy', /1, and 0 of \d+ requests/, /the number of proxies/],
  },
]

export const CACHES: Fault[] = [
  {
    name: 'a cache in front that refuses the token',
    plant: async () => {
      const { url } = await site(403, {}, 'the token is wrong')
      const served = await patient({
        ...SECRETS,
        PURGE: `varnish:${url}`,
        PURGE_TOKEN: 'a-wrong-token-of-ours',
      })
      const { status } = await announce(served, 'Not purged')
      if (status !== 503) throw new Error(`It was answered ${status}`)
      return served
    },
    finds: [
      'fail purge',
      /every write is answered 503.* 127\.0\.0\.1:\d+ answered 403\. Is PURGE_TOKEN right\?$/,
      /PURGE and PURGE_TOKEN/,
    ],
  },
]

export const STRIPE: Fault[] = [
  {
    name: 'a key that Stripe has revoked',
    plant: async () => {
      const { url, keys } = await stripe()
      keys.clear()
      return patient(withKey(url))
    },
    finds: ['fail stripe-key', /refuses the key \(401\)/, /make a restricted key .* restart/],
  },
  {
    name: 'a key that may not list events',
    plant: async () => {
      const fake = await stripe()
      fake.trouble = (path) => (path === '/v1/events' ? { status: 403 } : undefined)
      return patient(withKey(fake.url))
    },
    finds: ['fail stripe-key', /may not read events \(403\)/, /the right to read events$/],
  },
  {
    name: 'a key of another account than the coupon that is up',
    plant: async () => {
      const [ours, theirs] = [await stripe(), await stripe()]
      const served = await patient({ ...SECRETS, ...withKey(ours.url) })
      await deliver(served, { ...theirs.create({ id: 'THEIRS' }), id: 'evt_of_another_account' })
      return served
    },
    finds: [
      'fail stripe-key',
      /not know the coupon THEIRS, .* another account/,
      /a key of the acc/,
    ],
  },
  {
    name: 'a key of another mode than the notifications, with nothing up',
    plant: async () => {
      const [ours, theirs] = [await stripe(), await stripe()]
      const served = await patient({ ...SECRETS, ...withKey(ours.url) })
      const event = theirs.create({ id: 'THEIRS', metadata: {} })
      await deliver(served, { ...event, id: 'evt_of_another_mode' })
      await deliver(served, coupon('created', { featured: false }, event.created + 1, madeUpId()))
      return served
    },
    finds: [
      'fail stripe-key',
      /not know the notification evt_of_another_mode: /,
      /a key of the acc/,
    ],
  },
  {
    name: 'an account that has asked Stripe too much',
    plant: async () => {
      const fake = await stripe()
      fake.trouble = () => ({ status: 429, headers: { 'Retry-After': '7' } })
      return patient(withKey(fake.url))
    },
    finds: ['warn stripe-key', /gave no answer: .*(429|wait)/, /which program/],
  },
  {
    name: 'a Stripe that does not answer',
    plant: async () => {
      const fake = await stripe()
      fake.trouble = () => 'resets'
      return patient(withKey(fake.url))
    },
    finds: ['warn stripe-key', /Stripe gave no answer/, /status\.stripe\.com/],
  },
]
