import { readFileSync, writeFileSync } from 'node:fs'
import { front, patient } from '../stage.ts'
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
    name: 'a secret file that is empty',
    plant: async () => {
      const served = await patient()
      writeFileSync(kept(served, 'event-api-secret'), '')
      return served
    },
    finds: ['fail secret', /There is no secret in .*event-api-secret/, /delete the file/],
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
