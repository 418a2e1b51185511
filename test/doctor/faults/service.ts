import { writeFileSync } from 'node:fs'
import { coupon, httpMount, notify } from '../../harness.ts'
import { site } from '../../site.ts'
import { temporaryDirectory } from '../../stores.ts'
import { front, type Patient, patient, SECRETS } from '../stage.ts'
import { type Fault, kept } from './fault.ts'

/** A notification that is signed with the secret that a dashboard of Stripe shows. */
async function deliver({ address }: Patient, answer: number) {
  const mount = httpMount(address, '', 'whsec_that-the-dashboard-shows')
  const { status } = await notify(mount, coupon('created'))
  if (status !== answer) throw new Error(`It was answered ${status}`)
}

/** With other settings here than there. */
async function otherwise(settings: Record<string, string>, secrets = {}) {
  const served = await patient(secrets)
  return { ...served, environment: { ...served.environment, ...settings } }
}

/** In what answers, and in what is beside it: its settings, its secrets, its Node. */
export const SERVICE: Fault[] = [
  {
    name: 'settings that are faulty',
    plant: () => otherwise({ MAX_STREAMS: 'many' }),
    finds: ['fail settings', /^MAX_STREAMS must be a whole number/, /placard help serve/],
  },
  {
    name: 'a secret file that is empty',
    plant: async () => {
      const served = await patient()
      writeFileSync(kept(served, 'event-api-secret'), '')
      return served
    },
    finds: ['fail secret', /The secret in .*event-api-secret must not be empty/, /delete the file/],
  },
  {
    name: 'a service that has stopped',
    plant: async () => {
      const served = await patient()
      await served.stop()
      return served
    },
    finds: ['fail service', /Nothing answers at http/, /placard serve/],
  },
  {
    name: 'a service that answers nothing',
    plant: async () => {
      const { url } = await front(() => false)
      return { environment: {}, directory: temporaryDirectory(), url, pace: 0.2 }
    },
    finds: ['fail service', /Nothing answers at .*no answer in/, /placard serve/],
  },
  {
    name: 'a port that something else has',
    plant: async () => {
      const { url } = await site(404, {}, 'Not found')
      return { environment: { PORT: new URL(url).port }, directory: temporaryDirectory() }
    },
    finds: ['fail service', /is not Placard \(GET \/healthz answers 404\)/, /--url/],
  },
  {
    name: 'a port that another service has',
    plant: async () => ({ ...(await patient()), environment: (await patient()).environment }),
    finds: ['fail service', /is another service .*wasn't sent/, /--url/],
  },
  {
    name: 'another secret here than there',
    plant: () => otherwise({ EVENT_API_SECRET: 'a-secret-of-long-ago-0123' }, SECRETS),
    finds: ['fail secret', /rejected the secret from the environment/, /Set EVENT_API_SECRET/],
  },
  {
    name: 'another signing secret here than there',
    plant: () => otherwise({ STRIPE_WEBHOOK_SECRET: 'whsec_of-long-ago-0123456' }, SECRETS),
    finds: ['fail notifications', /signature does not match/, /restart the service/],
  },
  {
    name: 'another signing secret in the service than in the dashboard of Stripe',
    plant: async () => {
      const served = await patient(SECRETS)
      await deliver(served, 400)
      return served
    },
    finds: [
      'warn notifications',
      /since Stripe's last accepted notification: 1$/,
      /set STRIPE_WEBHOOK_SEC/,
    ],
  },
  {
    name: 'notifications of Stripe without a signing secret in the service',
    plant: async () => {
      const production = { NODE_ENV: 'production', STRIPE_WEBHOOK_SECRET: '' }
      const served = await patient({ ...SECRETS, ...production })
      await deliver(served, 503)
      return served
    },
    finds: [
      'fail notifications',
      /^Notifications rejected because STRIPE_WEBHOOK_SECRET is not set: 1$/,
      /^Set STRIPE_WEBHOOK_SECRET to the destination's signing secret .* restart/,
    ],
  },
]
