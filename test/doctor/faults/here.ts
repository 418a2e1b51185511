import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { temporaryDirectory } from '../../stores.ts'
import { behind, front, patient } from '../stage.ts'
import { type Fault, kept } from './fault.ts'

/** In what is beside the service: its settings, its secrets, its Node. */
export const HERE: Fault[] = [
  {
    name: 'settings that are faulty',
    plant: async () => {
      const served = await patient()
      return { ...served, environment: { ...served.environment, MAX_STREAMS: 'many' } }
    },
    finds: ['fail settings', /^MAX_STREAMS must be a whole number/, /placard help serve/],
  },
  {
    name: 'a PUBLIC_URL that the running service does not have yet',
    plant: async () => {
      const [served, proxy] = [await patient(), await front({ forwards: false })]
      proxy.target = served.address
      return { ...served, environment: { ...served.environment, PUBLIC_URL: proxy.url } }
    },
    finds: [
      'warn settings',
      /^PUBLIC_URL is http:\/\/127\.0\.0\.1:\d+ here, and the service runs without one$/,
      /^Restart the service/,
    ],
  },
  {
    name: 'a PUBLIC_URL that is another than that of the running service',
    plant: async () => {
      const served = await behind(await front())
      const PUBLIC_URL = 'https://news.example.com'
      return { ...served, environment: { ...served.environment, PUBLIC_URL } }
    },
    finds: [
      'warn settings',
      /^PUBLIC_URL is https:\/\/news\.example\.com here, and the service runs with http:/,
      /^Restart the service/,
    ],
  },
  {
    name: 'a port that is none',
    plant: async () => ({ environment: { PORT: '99999' }, directory: temporaryDirectory() }),
    finds: ['fail settings', /^PORT must be/, /placard help serve/],
  },
  {
    name: 'a secret file that is empty',
    plant: async () => {
      const served = await patient()
      writeFileSync(kept(served, 'event-api-secret'), '')
      return served
    },
    finds: ['fail secret-files', /There is no secret in .*event-api-secret/, /delete the file/],
  },
  {
    name: 'a secret file that others can read',
    plant: async () => {
      const served = await patient()
      chmodSync(kept(served, 'stripe-webhook-secret'), 0o640)
      return served
    },
    finds: ['warn secret-files', /Other users have access to .*stripe-webhook-secret/, /chmod 600/],
  },
  {
    name: 'a database that others can read',
    plant: async () => {
      const served = await patient()
      chmodSync(kept(served, 'placard.db'), 0o644)
      return served
    },
    finds: ['warn secret-files', /Other users have access to .*placard\.db/, /chmod 600/],
  },
  {
    name: 'a folder of the database that others may write to',
    plant: async () => {
      const served = await patient()
      chmodSync(dirname(kept(served, 'placard.db')), 0o775)
      return served
    },
    finds: ['warn secret-files', /Other users have access to .*data/, /chmod 700/],
  },
  {
    name: 'an older Node',
    plant: async () => {
      const proxy = await front()
      const served = await patient()
      proxy.target = served.address
      const Authorization = `Bearer ${readFileSync(kept(served, 'event-api-secret'), 'utf8').trim()}`
      const answer = await fetch(`${served.address}/api/doctor`, { headers: { Authorization } })
      const body = JSON.stringify({ ...(await answer.json()), node: '22.1.0' })
      proxy.own = (path) => (path.startsWith('/api/doctor') ? { body } : undefined)
      return { ...served, url: proxy.url }
    },
    finds: ['fail node', /22\.1\.0/, /Node 24/],
  },
]
