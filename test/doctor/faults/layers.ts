import { createServer } from 'node:https'
import { join } from 'node:path'
import { loadLocales } from '../../../src/page/locales.ts'
import { createSite } from '../../../src/page/site.ts'
import { sqliteStore } from '../../../src/store/sqlite.ts'
import type { WatchListener } from '../../../src/store/store.ts'
import { freePort } from '../../free-port.ts'
import { asCode, STORED, temporaryDirectory } from '../../stores.ts'
import { SELF_SIGNED } from '../self-signed.ts'
import { announce, behind, front, listening, mounted, open, patient, through } from '../stage.ts'
import type { Fault } from './fault.ts'

const OLD = { id: 'x', text: 'Of yesterday', type: 'post', slug: '/', timestamp: '1' }
const STREAM = '/api/events/stream'
const streamed = (event: object | null) => ({
  [STREAM]: { type: 'text/event-stream', body: `data: ${JSON.stringify({ event })}\n\n` },
})

/** In what shows, from the database to a browser. */
export const LAYERS: Fault[] = [
  {
    name: 'a node that does not hear of what others write',
    plant: async () => {
      const path = join(temporaryDirectory(), 'placard.db')
      const store = sqliteStore(path)
      const deaf = { ...store, watch: (it: WatchListener) => it.hearing(true) }
      const served = await mounted({ store: deaf })
      await fetch(`${served.address}/api/events`)
      const other = open(sqliteStore(path))
      await other.publish({ ...STORED, text: 'From elsewhere' }, asCode(Date.now()))
      return served
    },
    finds: ['fail shown', /shows nothing, not “From elsewhere”/, /Restart/],
  },
  {
    name: 'a page that stays as it was',
    plant: async () => {
      const store = sqliteStore(join(temporaryDirectory(), 'placard.db'))
      const whole = createSite(await loadLocales(null))
      let first: ReturnType<NonNullable<typeof whole.page>> | undefined
      const page: typeof whole.page = (...given) => {
        first ??= whole.page?.(...given)
        return first as NonNullable<typeof first>
      }
      const served = await mounted({ store, site: { ...whole, page } })
      await fetch(served.address)
      await announce(served, 'Too new')
      return served
    },
    finds: ['fail shown', /is out of date: it does not show “Too new”/, /Restart the service/],
  },
  {
    name: 'a page that fails',
    plant: () => through({ '/': { status: 500, body: 'Oops' } }),
    finds: ['fail shown', /\/ gives an unexpected response \(500\)/, /the service's log/],
  },
  {
    name: 'a service of which every second answer fails',
    plant: () => {
      let asked = 0
      const fails = (path: string) => path === '/api/events' && asked++ % 2 === 0
      return through((path) => (fails(path) ? { status: 502, body: '' } : undefined))
    },
    finds: ['fail shown', /gives an unexpected response \(502\)/, /the service's log/],
  },
  {
    name: 'a stream that tells what was before',
    plant: () => through(streamed(OLD)),
    finds: ['fail shown', /is out of date: it sends “Of yesterday”, not nothing/, /cache/],
  },
  {
    name: 'a stream that is cut as soon as it has begun',
    plant: () => through(streamed(null)),
    finds: ['fail shown', /was cut off after \d+\.\d s, but should stay open/, /response timeout/],
  },
  {
    name: 'a stream that is refused in the place of a service that has one',
    plant: () => through({ [STREAM]: { status: 204, body: '' } }),
    finds: ['fail shown', /gives an unexpected response \(204\)/, /pass the stream on/],
  },
  {
    name: 'a public address with a cache that is behind',
    plant: async () =>
      behind(await front({ '/api/events': { body: JSON.stringify({ event: OLD }) } })),
    finds: ['fail public', /A cache is out of date: .*shows “Of yesterday”, not nothing/, /purge/],
  },
  {
    name: 'a public address that leads elsewhere',
    plant: async () => {
      const proxy = await front()
      const served = await behind(proxy, { TRUST_PROXY: '0' })
      proxy.target = (await patient()).address
      return served
    },
    finds: ['fail public', /is another service/, /Make the proxy .*forward requests to/],
  },
  {
    name: 'a proxy that holds the stream back',
    plant: async () => ({ ...(await behind(await front({ [STREAM]: false }))), pace: 2 }),
    finds: ['fail public', /\/api\/events\/stream gives no answer in/, /without buffering/],
  },
  {
    name: 'a proxy that finds nothing behind it',
    plant: async () => behind(await front(() => ({ status: 502, body: 'Bad gateway' }))),
    finds: ['fail public', /gives an unexpected response \(502\)/, /forward requests to/],
  },
  {
    name: 'a proxy that asks for a sign-in',
    plant: async () => behind(await front(() => ({ status: 401, body: '' }))),
    finds: ['warn public', /asks for a sign-in first \(401\)/, /embed\.html/],
  },
  {
    name: 'a public address that nothing answers',
    plant: async () => patient({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` }),
    finds: ['warn public', /can't be reached from this machine/, /DNS, the proxy and PUBLIC_URL$/],
  },
  {
    name: 'a public address whose certificate no browser trusts',
    plant: async () => {
      const port = await listening(createServer(SELF_SIGNED))
      return patient({ PUBLIC_URL: `https://127.0.0.1:${port}` })
    },
    finds: ['fail public', /self-signed certificate/, /authority that browsers trust/],
  },
  {
    name: 'a public address that says https where http is spoken',
    plant: async () => patient({ PUBLIC_URL: (await front()).url.replace('http:', 'https:') }),
    finds: [
      'warn public',
      /can't be reached from this machine: the server there does not speak HTTPS$/,
      /DNS, the proxy and PUBLIC_URL$/,
    ],
  },
]
