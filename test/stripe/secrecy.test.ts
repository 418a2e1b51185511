import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createPlacard } from '../../src/placard.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { API_SECRET, publish, readOwned, withdraw } from '../harness.ts'
import { site } from '../site.ts'
import { KEY } from './fake.ts'
import { MINUTE, stageForEach } from './stage.ts'

const stage = stageForEach()
const { stripe, clock } = stage

it('contract T6: the key is never logged, stored or returned, whatever Stripe answers', async () => {
  const mount = await stage.start()
  const spoken: unknown[] = []
  for (const trouble of [401, 403, 404, 429, 500, 'resets', undefined] as const) {
    // The fake's errors repeat the key that it got.
    stripe.trouble = () => (typeof trouble === 'number' ? { status: trouble } : trouble)
    const event = stripe.create({ name: `Trouble ${trouble}`, maxRedemptions: 9 })
    spoken.push(await stage.tell(event))
    await clock.pass(6 * MINUTE)
    spoken.push(await (await publish(mount)).text())
    await withdraw(mount, { type: 'coupon' })
    spoken.push(await stage.undo())
  }
  await publish(mount, { text: 'x', type: KEY }, { 'X-Request-Id': KEY })
  await mount.fetch(`/api/${encodeURIComponent(KEY)}`)
  spoken.push(await (await readOwned(mount, '/api/events/history?limit=200')).text())
  expect(stripe.asked.length).toBeGreaterThan(50)
  expect(new Set(stripe.asked.map((one) => one.authorization))).toEqual(new Set([`Bearer ${KEY}`]))
  expect(stage.warnings().length).toBeGreaterThan(0)
  for (const said of [mount.log.lines, spoken, mount.placard]) {
    expect(JSON.stringify(said)).not.toContain(KEY)
  }
  for (const file of [stage.database(), `${stage.database()}-wal`]) {
    expect(readFileSync(file).includes(KEY)).toBe(false)
  }
})

it('contract T6: the client follows no redirect, so the key goes only to Stripe', async () => {
  const { url, asked } = await site(200, {}, '{}')
  await stage.start()
  stripe.trouble = () => ({ status: 307, headers: { Location: `${url}/v1/coupons/C` } })
  const { length } = stripe.asked
  await stage.tell(stripe.create({ id: 'C', name: 'Elsewhere' }))
  await clock.pass(MINUTE)
  expect(stripe.asked.length).toBeGreaterThan(length)
  expect(asked).toEqual([])
})

const make = (stripe: { apiKey: string; apiUrl?: string }) => () =>
  createPlacard({ store: sqliteStore(':memory:'), apiSecret: API_SECRET, stripe })

it.each([
  ['pk_live_0123456789', 'STRIPE_API_KEY must be a restricted key'],
  ['whsec_0123456789', 'STRIPE_API_KEY must be a restricted key'],
  ['rk_live_ 0123456789', 'STRIPE_API_KEY must consist of'],
])(
  'contract Settings: the service rejects the key %s without repeating it in the error',
  (apiKey, message) => {
    expect(make({ apiKey })).toThrow(message)
    expect(make({ apiKey })).not.toThrow(apiKey)
  },
)

it.each(['http://stripe.example', 'https://stripe.example/v1', 'https://a@b', 'ftp://x', ''])(
  'contract Settings, T6: the service refuses to send the key to "%s"',
  (apiUrl) => {
    expect(make({ apiKey: KEY, apiUrl })).toThrow('STRIPE_API_URL must be https://HOST')
  },
)
