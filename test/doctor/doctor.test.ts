import { describe, expect, it } from 'vitest'
import type { DoctorOptions } from '../../src/cli/doctor/diagnose.ts'
import { postgresStore } from '../../src/store/postgres.ts'
import { SECRETS } from '../harness.ts'
import { emptyDatabase, migratedDatabase } from '../postgres/place.ts'
import { site } from '../site.ts'
import { temporaryDirectory } from '../stores.ts'
import { KEY, startFakeStripe } from '../stripe/fake.ts'
import { DATABASE } from './faults/database.ts'
import { diagnosed, expectNamed } from './faults/fault.ts'
import { LAYERS } from './faults/layers.ts'
import { SERVICE } from './faults/service.ts'
import { SURROUNDINGS } from './faults/surroundings.ts'
import { announce, behind, deliver, front, mounted, open, patient, through } from './stage.ts'

describe.concurrent('contract R12: the doctor finds this fault and no other', () => {
  it.for(Object.entries({ ...SERVICE, ...DATABASE, ...SURROUNDINGS, ...LAYERS }))(
    '%s',
    async ([, { plant, finds }], context) => expectNamed(context, await plant(), finds),
  )
})

/** The findings for a service with which nothing should be wrong. */
async function wellOf(options: DoctorOptions) {
  const findings = await diagnosed(options)
  expect(findings.filter(({ fix }) => fix !== undefined)).toEqual([])
  return findings
}
/** The checks that passed. */
const passed = async (options: DoctorOptions) =>
  (await wellOf(options)).filter(({ status }) => status === 'pass').map(({ check }) => check)
/** The options of somebody who knows only the address. */
const apart = (url: string) => ({ environment: {}, directory: temporaryDirectory(), url })

describe('contract R12: the doctor finds nothing wrong with a healthy service', () => {
  it('on SQLite, started without any setting', async () => {
    expect(await passed(await patient())).toEqual([
      ...['node', 'settings', 'service', 'secret', 'database', 'disk', 'clock'],
      ...['streams', 'proxy', 'notifications', 'shown'],
    ])
  })

  it('on Postgres, with a Stripe key and without a page', async () => {
    const stripe = open(await startFakeStripe(Date.now))
    const served = await patient({
      ...SECRETS,
      DATABASE_URL: await emptyDatabase(),
      STRIPE_API_KEY: KEY,
      STRIPE_API_URL: stripe.url,
      PUBLIC_PAGE: 'off',
    })
    await announce(served, 'On Postgres')
    await deliver(served, stripe.create({ name: 'Of this account' }))
    expect(await passed(served)).toEqual([
      ...['node', 'settings', 'service', 'secret', 'database', 'listen', 'clock'],
      ...['streams', 'proxy', 'notifications', 'stripe-key', 'shown'],
    ])
  })

  it('that reports its facts only once', async () => {
    const isSecond = (path: string) => path.includes('/api/doctor?') && !path.includes('stripe')
    const served = await through((path) => (isSecond(path) ? { status: 500, body: '' } : undefined))
    expect(await passed(served)).toContain('database')
  })

  it('contract N2: where no process stays alive, with or without the secret', async () => {
    const store = postgresStore({ url: await migratedDatabase(), listen: false })
    const { address: url, ...served } = await mounted({ store })
    const findings = await wellOf({ ...served, url })
    expect(findings.filter(({ check }) => /^(listen|streams)$/.test(check))).toMatchObject([
      { status: 'pass', message: expect.stringContaining('each read') },
      { status: 'pass', message: expect.stringContaining('no streams') },
    ])
    expect(await passed(apart(url))).toContain('shown')
  })

  it('contract R13: behind a cache that can be purged', async () => {
    const { url } = await site(200, {}, '')
    const served = await patient({ ...SECRETS, PURGE: `varnish:${url}` })
    await announce(served, 'Purged')
    expect(await passed(served)).toContain('purge')
  })

  it('behind a proxy that appends the client address, during constant writes', async () => {
    const served = await behind(await front(), SECRETS)
    let busy = true
    let writes = 0
    const writing = (async () => {
      for (; busy; writes++) await announce(served, `Number ${writes}`)
    })()
    expect(await passed({ ...served, settleMs: 300 })).toContain('proxy')
    busy = false
    await writing
    expect(writes).toBeGreaterThan(3)
  })

  it("if it knows only the address, and says what it couldn't check", async () => {
    const { address } = await patient()
    const unknown = expect.stringContaining("The doctor couldn't ask the service about its state")
    expect(await wellOf(apart(address))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'secret', status: 'skip', message: unknown }),
        expect.objectContaining({ check: 'notifications', status: 'skip' }),
      ]),
    )
  })
})
