import { coupon, httpMount, notify } from '../../harness.ts'
import { site } from '../../site.ts'
import { temporaryDirectory } from '../../stores.ts'
import { front, patient, SECRETS } from '../stage.ts'
import type { Fault } from './fault.ts'

/** In what answers, and whether it knows the secrets that are here. */
export const SERVICE: Fault[] = [
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
      const { url } = await front({ own: () => false })
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
    finds: ['fail service', /is not Placard \(GET \/healthz is answered 404\)/, /--url/],
  },
  {
    name: 'a port that another service has',
    plant: async () => {
      const [one, other] = [await patient(), await patient()]
      return { ...one, environment: other.environment }
    },
    finds: ['fail service', /is another service .*nothing was sent/, /--url/],
  },
  {
    name: 'another secret here than there',
    plant: async () => {
      const served = await patient(SECRETS)
      const EVENT_API_SECRET = 'a-secret-of-long-ago-0123'
      return { ...served, environment: { ...served.environment, EVENT_API_SECRET } }
    },
    finds: ['fail secret', /refuses the secret from the environment/, /Set EVENT_API_SECRET/],
  },
  {
    name: 'another signing secret here than there',
    plant: async () => {
      const served = await patient(SECRETS)
      const STRIPE_WEBHOOK_SECRET = 'whsec_of-long-ago-0123456'
      return { ...served, environment: { ...served.environment, STRIPE_WEBHOOK_SECRET } }
    },
    finds: ['fail notifications', /signature does not match/, /restart the service/],
  },
  {
    name: 'another signing secret in the service than in the dashboard of Stripe',
    plant: async () => {
      const served = await patient(SECRETS)
      const theirs = 'whsec_that-the-dashboard-shows'
      const { status } = await notify(httpMount(served.address, '', theirs), coupon('created'))
      if (status !== 400) throw new Error(`It was answered ${status}`)
      return served
    },
    finds: ['warn notifications', /since Stripe's last accepted one: 1$/, /set STRIPE_WEBHOOK_SEC/],
  },
  {
    name: 'notifications of Stripe without a signing secret in the service',
    plant: async () => {
      const served = await patient({
        ...SECRETS,
        NODE_ENV: 'production',
        STRIPE_WEBHOOK_SECRET: '',
      })
      const theirs = 'whsec_that-the-dashboard-shows'
      const { status } = await notify(httpMount(served.address, '', theirs), coupon('created'))
      if (status !== 503) throw new Error(`It was answered ${status}`)
      return served
    },
    finds: [
      'fail notifications',
      /^Notifications refused because STRIPE_WEBHOOK_SECRET is not set: 1$/,
      /^Set STRIPE_WEBHOOK_SECRET to the signing secret .* restart/,
    ],
  },
]
