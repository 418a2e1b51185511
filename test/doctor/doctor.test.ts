import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import { postgresStore } from '../../src/store/postgres.ts'
import { freePort } from '../free-port.ts'
import { httpMount, notify } from '../harness.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { site } from '../site.ts'
import { temporaryDirectory } from '../stores.ts'
import { KEY, startFakeStripe } from '../stripe/fake.ts'
import { DATABASE } from './faults/database.ts'
import { expectNamed } from './faults/fault.ts'
import { HERE } from './faults/here.ts'
import { LAYERS } from './faults/layers.ts'
import { SERVICE } from './faults/service.ts'
import { CACHES, CLOCKS, STRIPE, VISITORS } from './faults/surroundings.ts'
import {
  announce,
  behind,
  front,
  mounted,
  open,
  PACE,
  type Patient,
  patient,
  SECRETS,
} from './stage.ts'

const FAULTS = [
  ...HERE,
  ...SERVICE,
  ...DATABASE,
  ...CLOCKS,
  ...VISITORS,
  ...CACHES,
  ...STRIPE,
  ...LAYERS,
]

describe.concurrent('contract R12: the doctor names, and nothing else', () => {
  it.for(FAULTS.map((it) => [it.name, it] as const))(
    '%s',
    async ([, { plant, finds }], context) => {
      await expectNamed(context, await plant(), finds)
    },
  )
})

/** All that was looked at and is well; else what is not, in words. */
async function wellOf(options: Patient): Promise<string[]> {
  const findings = await diagnose({ ...options, pace: PACE })
  expect(findings.filter(({ mend }) => mend !== undefined)).toEqual([])
  return findings.filter(({ status }) => status === 'pass').map(({ check }) => check)
}

describe('contract R12: the doctor finds nothing wrong with a healthy service', () => {
  it('on SQLite, as it starts without any setting', async () => {
    const served = await patient()
    expect(await wellOf(served)).toEqual([
      ...['node', 'settings', 'service', 'secret', 'database', 'disk', 'clock'],
      ...['streams', 'proxy', 'notifications', 'shown'],
    ])
  })

  it('on Postgres, with a key for Stripe, without a page', async () => {
    const stripe = open(await startFakeStripe(Date.now))
    const served = await patient({
      ...SECRETS,
      DATABASE_URL: await emptyDatabase(),
      STRIPE_API_KEY: KEY,
      STRIPE_API_URL: stripe.url,
      PUBLIC_PAGE: 'off',
    })
    await announce(served, 'On Postgres')
    const { EVENT_API_SECRET, STRIPE_WEBHOOK_SECRET } = SECRETS
    const mount = httpMount(served.address, EVENT_API_SECRET, STRIPE_WEBHOOK_SECRET)
    expect((await notify(mount, stripe.create({ name: 'Of this account' }))).status).toBe(200)
    expect(await wellOf(served)).toEqual([
      ...['node', 'settings', 'service', 'secret', 'database', 'listen', 'clock'],
      ...['streams', 'proxy', 'notifications', 'stripe-key', 'shown'],
    ])
  })

  it('contract N2: where no process stays alive, with the secret and without', async () => {
    const url = await emptyDatabase()
    const store = postgresStore({ url, listen: false })
    await store.migrate?.()
    const { address, ...served } = await mounted({ store })
    const findings = await diagnose({ ...served, url: address, pace: PACE })
    expect(findings.filter(({ mend }) => mend !== undefined)).toEqual([])
    expect(findings.filter(({ check }) => /^(listen|streams?)$/.test(check))).toEqual([
      expect.objectContaining({ status: 'pass', message: expect.stringContaining('each read') }),
      expect.objectContaining({ status: 'pass', message: expect.stringContaining('no stream') }),
    ])

    const directory = temporaryDirectory()
    const apart = await diagnose({ environment: {}, directory, url: address, pace: PACE })
    expect(apart.filter(({ mend }) => mend !== undefined)).toEqual([])
    expect(apart).toContainEqual(expect.objectContaining({ check: 'shown', status: 'pass' }))
  })

  it('contract R13: with a cache in front that purges', async () => {
    const { url } = await site(200, {}, '')
    const served = await patient({ ...SECRETS, PURGE: `varnish:${url}` })
    await announce(served, 'Purged')
    expect(await wellOf(served)).toContain('purge')
  })

  it('behind a proxy that appends the client, under one write after another', async () => {
    const served = await behind(await front(), SECRETS)
    let busy = true
    let writes = 0
    const writing = (async () => {
      for (; busy; writes++) await announce(served, `Number ${writes}`)
    })()
    expect(await wellOf(served)).toContain('proxy')
    busy = false
    await writing
    expect(writes).toBeGreaterThan(20)
  })

  it('before its first start: only that nothing runs', async () => {
    const PORT = String(await freePort())
    const findings = await diagnose({
      environment: { PORT },
      directory: temporaryDirectory(),
      pace: PACE,
    })
    expect(findings.filter(({ mend }) => mend !== undefined)).toEqual([
      expect.objectContaining({ check: 'service', status: 'fail' }),
    ])
  })

  it('elsewhere, by its address alone: says what it could not know', async () => {
    const served = await patient()
    const directory = temporaryDirectory()
    const findings = await diagnose({ environment: {}, directory, url: served.address, pace: PACE })
    expect(findings.filter(({ mend }) => mend !== undefined)).toEqual([])
    expect(findings.filter(({ status }) => status === 'skip')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          check: 'secret',
          message: expect.stringContaining('The facts of the service were not requested'),
        }),
        expect.objectContaining({ check: 'notifications' }),
      ]),
    )
  })
})
