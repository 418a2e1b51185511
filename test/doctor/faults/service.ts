import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { afterFile } from '../../after-file.ts'
import { freePort } from '../../free-port.ts'
import { coupon, SECRETS } from '../../harness.ts'
import { listen } from '../../raw.ts'
import { SELF_SIGNED } from '../../self-signed.ts'
import { site } from '../../site.ts'
import { temporaryDirectory } from '../../stores.ts'
import { after, deliver, front, patient } from '../stage.ts'
import { type Faults, kept } from './fault.ts'

/** A signing secret in Stripe's dashboard that the service doesn't have. */
const ELSEWHERE = 'whsec_that-the-dashboard-shows'

/** A service that runs with other settings than the doctor reads. */
async function otherwise(settings: Record<string, string>, secrets = {}) {
  const served = await patient(secrets)
  return { ...served, environment: { ...served.environment, ...settings } }
}

/** Faults in the service's address, settings, secrets or Node. */
export const SERVICE: Faults = {
  'an invalid setting': {
    plant: () => otherwise({ MAX_STREAMS: 'many' }),
    finds: ['fail settings', /^MAX_STREAMS must be a whole number/, /placard help serve/],
  },
  "a settings file that can't be read": {
    plant: () => after(patient(), (it) => mkdirSync(join(it.directory, '.env'))),
    finds: [
      'fail settings',
      /This user can't read .*\/\.env \(EISDIR\)$/,
      /^Let this user read it/,
    ],
  },
  'an empty secret file': {
    plant: () => after(patient(), (it) => writeFileSync(kept(it, 'event-api-secret'), '')),
    finds: ['fail secret', /The secret in .*event-api-secret must not be empty/, /delete the file/],
  },
  'a signing secret that is too short': {
    plant: () => after(patient(), (it) => writeFileSync(kept(it, 'stripe-webhook-secret'), 'Zq7')),
    finds: ['fail notifications', /stripe-webhook-secret must/, /delete the file/],
  },
  'a damaged service id': {
    plant: () => after(patient(), (it) => writeFileSync(kept(it, 'service-id'), '')),
    finds: ['fail secret', /service-id contains no valid service id/, /Delete the file/],
  },
  "a service id that can't be read": {
    plant: () =>
      after(patient(), (it) => {
        rmSync(kept(it, 'service-id'))
        mkdirSync(kept(it, 'service-id'))
      }),
    finds: ['fail secret', /can't read .*service-id \(EISDIR\)$/, /or set EVENT_API_SECRET/],
  },
  'a service that has never been started': {
    plant: async () => {
      const environment = { PORT: String(await freePort()) }
      return { environment, directory: temporaryDirectory() }
    },
    finds: ['fail service', /Nothing answers at http/, /placard serve/],
  },
  'a service that never answers': {
    plant: async () => {
      const { url } = await front(() => false)
      return { environment: {}, directory: temporaryDirectory(), url, pace: 0.2 }
    },
    finds: ['fail service', /Nothing answers at .*no answer in/, /placard serve/],
  },
  'an address with an untrusted certificate': {
    plant: async () => {
      const port = await listen(createServer(SELF_SIGNED), afterFile)
      const url = `https://127.0.0.1:${port}`
      return { environment: {}, directory: temporaryDirectory(), url }
    },
    finds: ['fail service', /Nothing answers at .*certificate/, /^Give the address of the service/],
  },
  'a proxy whose service is down': {
    plant: async () => {
      const { url } = await front(() => ({ status: 502, body: 'Bad gateway' }))
      return { environment: {}, directory: temporaryDirectory(), url }
    },
    finds: ['fail service', /Nothing answers at .*\/healthz returned 502/, /placard serve/],
  },
  'a port that another program uses': {
    plant: async () => {
      const { url } = await site(404, {}, 'Not found')
      return { environment: { PORT: new URL(url).port }, directory: temporaryDirectory() }
    },
    finds: ['fail service', /is not Placard \(GET \/healthz returned 404\)/, /--url/],
  },
  'a port that another Placard uses': {
    plant: async () => ({ ...(await patient()), environment: (await patient()).environment }),
    finds: ['fail service', /is another service .*wasn't sent/, /--url/],
  },
  "an API secret that differs from the service's": {
    plant: () => otherwise({ EVENT_API_SECRET: 'a-secret-of-long-ago-0123' }, SECRETS),
    finds: ['fail secret', /rejected the secret from the environment/, /EVENT_API_SECRET; if/],
  },
  "a signing secret that differs from the service's": {
    plant: () => otherwise({ STRIPE_WEBHOOK_SECRET: 'whsec_of-long-ago-0123456' }, SECRETS),
    finds: ['fail notifications', /signature does not match/, /restart the service/],
  },
  "a signing secret of the service that differs from Stripe's dashboard": {
    plant: () => after(patient(SECRETS), (it) => deliver(it, coupon('created'), 400, ELSEWHERE)),
    finds: ['warn notifications', /last accepted notification: 1$/, /set STRIPE_WEBHOOK_SECRET to/],
  },
  'notifications from connected accounts': {
    plant: () =>
      after(patient(SECRETS), (it) =>
        deliver(it, { ...coupon('created'), account: 'acct_1Connected' }, 200),
      ),
    finds: ['warn notifications', /connected accounts ignored .*: 1$/, /from Your account, not/],
  },
  'notifications from Stripe without a signing secret in the service': {
    plant: () => {
      const served = patient({ ...SECRETS, NODE_ENV: 'production', STRIPE_WEBHOOK_SECRET: '' })
      return after(served, (it) => deliver(it, coupon('created'), 503, ELSEWHERE))
    },
    finds: ['fail notifications', /WEBHOOK_SECRET is not set: 1$/, /^Set STRIPE_WEBHOOK_SECRET to/],
  },
}
