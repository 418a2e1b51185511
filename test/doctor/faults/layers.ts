import { createServer } from 'node:https'
import { join } from 'node:path'
import { sqliteStore } from '../../../src/store/sqlite.ts'
import type { WatchListener } from '../../../src/store/store.ts'
import { afterFile } from '../../after-file.ts'
import { freePort } from '../../free-port.ts'
import { SECRETS } from '../../harness.ts'
import { listen } from '../../raw.ts'
import { SELF_SIGNED } from '../../self-signed.ts'
import { asCode, STORED, temporaryDirectory } from '../../stores.ts'
import { after, announce, behind, front, mounted, open, patient, through } from '../stage.ts'
import type { Faults } from './fault.ts'

const OLD = { id: 'x', text: 'Of yesterday', type: 'post', slug: '/', timestamp: '1' }
const STREAM = '/api/events/stream'
const streamed = (event: object | null) => ({
  [STREAM]: { type: 'text/event-stream', body: `data: ${JSON.stringify({ event })}\n\n` },
})

/** Faults between the announcement in the database and what browsers get. */
export const LAYERS: Faults = {
  "a node that doesn't hear other nodes' writes": {
    plant: () => {
      const path = join(temporaryDirectory(), 'placard.db')
      const store = sqliteStore(path)
      const deaf = { ...store, watch: (it: WatchListener) => it.hearing(true) }
      return after(mounted({ store: deaf }), async ({ address }) => {
        await fetch(`${address}/api/events`)
        const other = open(sqliteStore(path))
        await other.publish({ ...STORED, text: 'From elsewhere' }, asCode(Date.now()))
      })
    },
    finds: ['fail shown', /shows nothing, not “From elsewhere”/, /Restart/],
  },
  'a page that is out of date': {
    plant: async () => {
      const before = await after(patient(SECRETS), (it) => announce(it, 'Of yesterday'))
      const body = await (await fetch(before.address)).text()
      return through({ '/': { type: 'text/html', body } })
    },
    finds: ['fail shown', /\/ is out of date: it should show nothing/, /Restart the service/],
  },
  'a page that fails': {
    plant: () => through({ '/': { status: 500, body: 'Oops' } }),
    finds: ['fail shown', /\/ returned an unexpected response \(500\)/, /the service's log/],
  },
  'a service whose every second response fails': {
    plant: () => {
      let asked = 0
      const fails = (path: string) => path === '/api/events' && asked++ % 2 === 0
      return through((path) => (fails(path) ? { status: 502, body: '' } : undefined))
    },
    finds: ['fail shown', /returned an unexpected response \(502\)/, /the service's log/],
  },
  'a stream that sends an old announcement': {
    plant: () => through(streamed(OLD)),
    finds: ['fail shown', /is out of date: it sends “Of yesterday”, not nothing/, /cache/],
  },
  'a stream that is cut off as soon as it begins': {
    plant: () => through(streamed(null)),
    finds: ['fail shown', /was cut off after \d+\.\d s, but should stay open/, /response timeout/],
  },
  'a proxy that answers as if the service had no stream': {
    plant: () => through({ [STREAM]: { status: 204, body: '' } }),
    finds: ['fail shown', /returned an unexpected response \(204\)/, /pass the stream on/],
  },
  'a public address with a stale cache': {
    plant: async () =>
      behind(await front({ '/api/events': { body: JSON.stringify({ event: OLD }) } })),
    finds: ['fail public', /A cache is out of date: .*shows “Of yesterday”, not nothing/, /purge/],
  },
  'a public address that leads to another service': {
    plant: async () => {
      const proxy = await front()
      return after(behind(proxy, { TRUST_PROXY: '0' }), async () => {
        proxy.target = (await patient()).address
      })
    },
    finds: ['fail public', /is another service/, /Make the proxy .*forward requests to/],
  },
  'a proxy that buffers the stream': {
    plant: async () => ({ ...(await behind(await front({ [STREAM]: false }))), pace: 2 }),
    finds: ['fail public', /\/api\/events\/stream gave no answer in/, /without buffering/],
  },
  "a proxy that can't reach the service": {
    plant: async () => behind(await front(() => ({ status: 502, body: 'Bad gateway' }))),
    finds: ['fail public', /returned an unexpected response \(502\)/, /forward requests to/],
  },
  'a proxy that requires a sign-in': {
    plant: async () => behind(await front(() => ({ status: 401, body: '' }))),
    finds: ['warn public', /requires a sign-in \(401\)/, /embed\.json/],
  },
  'a public address where nothing answers': {
    plant: async () => patient({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` }),
    finds: ['warn public', /can't be reached from this machine/, /DNS, the proxy and PUBLIC_URL$/],
  },
  'a public address whose certificate no browser trusts': {
    plant: async () => {
      const port = await listen(createServer(SELF_SIGNED), afterFile)
      return patient({ PUBLIC_URL: `https://127.0.0.1:${port}` })
    },
    finds: ['fail public', /self-signed certificate/, /authority that browsers trust/],
  },
  'an https: public address of a server that speaks HTTP': {
    plant: async () => patient({ PUBLIC_URL: (await front()).url.replace('http:', 'https:') }),
    finds: ['warn public', /the server does not speak HTTPS$/, /the proxy and PUBLIC_URL$/],
  },
}
