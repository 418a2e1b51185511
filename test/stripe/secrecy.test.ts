import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPlacard } from '../../src/placard.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { API_SECRET, publish, withdraw, write } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { KEY } from './fake.ts'
import { makeStage } from './stage.ts'

it('contract T6: the key is in nothing that is logged, stored or answered, for any answer of Stripe', async () => {
  const directory = temporaryDirectory()
  const stage = await makeStage(() => sqliteStore(join(directory, 'placard.db')))
  const { stripe, clock, tell } = stage
  const mount = await stage.start()
  const spoken: string[] = []
  for (const trouble of [401, 403, 404, 429, 500, 'resets', undefined] as const) {
    // The fake's errors repeat the key that they were sent.
    stripe.trouble = () => (typeof trouble === 'number' ? { status: trouble } : trouble)
    const event = stripe.create({ name: `Trouble ${trouble}`, maxRedemptions: 9 })
    spoken.push(JSON.stringify(await tell(mount, event)))
    await clock.pass(6 * 60_000)
    spoken.push(await (await publish(mount)).text())
    await withdraw(mount, { type: 'coupon' })
    spoken.push(await (await write(mount, 'POST', undefined, {}, '/api/events/undo')).text())
  }
  await publish(mount, { text: 'x', type: KEY }, { 'X-Request-Id': KEY })
  await mount.fetch(`/api/${encodeURIComponent(KEY)}`)
  const headers = { Authorization: `Bearer ${API_SECRET}` }
  spoken.push(await (await mount.fetch('/api/events/history?limit=200', { headers })).text())
  expect(stripe.asked.length).toBeGreaterThan(50)
  expect(stripe.asked.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true)
  expect(JSON.stringify(mount.log.lines)).not.toContain(KEY)
  expect(mount.log.lines.some(({ level }) => level === 'warn')).toBe(true)
  expect(spoken.filter((text) => text.includes(KEY))).toEqual([])
  expect(JSON.stringify(mount.placard)).not.toContain(KEY)
  await stage.close()
  for (const file of ['placard.db', 'placard.db-wal']) {
    const bytes = await Promise.resolve()
      .then(() => readFileSync(join(directory, file)))
      .catch(() => '')
    expect(bytes.includes(KEY)).toBe(false)
  }
})

it('contract T6: a redirect is not followed, so the key stays with Stripe', async () => {
  const visits: string[] = []
  const elsewhere = createServer((request, response) => {
    visits.push(request.headers.authorization ?? '')
    response.end('{}')
  }).listen(0, '127.0.0.1')
  const stage = await makeStage()
  const { stripe, clock, tell } = stage
  const mount = await stage.start()
  const { port } = elsewhere.address() as AddressInfo
  const Location = `http://127.0.0.1:${port}/v1/coupons/C`
  stripe.trouble = () => ({ status: 307, headers: { Location } })
  const asked = stripe.asked.length
  await tell(mount, stripe.create({ id: 'C', name: 'Elsewhere' }))
  await clock.pass(60_000)
  expect(stripe.asked.length).toBeGreaterThan(asked)
  expect(visits).toEqual([])
  await stage.close()
  elsewhere.close()
})

it.each([
  ['pk_live_0123456789', 'STRIPE_API_KEY must be a restricted key'],
  ['whsec_0123456789', 'STRIPE_API_KEY must be a restricted key'],
  ['rk_live_ 0123456789', 'STRIPE_API_KEY must consist of'],
])('contract Settings: %s is refused by a sentence that does not repeat it', (apiKey, message) => {
  const make = () =>
    createPlacard({ store: sqliteStore(':memory:'), apiSecret: API_SECRET, stripe: { apiKey } })
  expect(make).toThrow(message)
  expect(make).not.toThrow(apiKey)
})

it.each(['http://stripe.example', 'https://stripe.example/v1', 'https://a@b', 'ftp://x', ''])(
  'contract Settings, T6: the key is not sent to %s',
  (apiUrl) => {
    const stripe = { apiKey: KEY, apiUrl }
    expect(() =>
      createPlacard({ store: sqliteStore(':memory:'), apiSecret: API_SECRET, stripe }),
    ).toThrow('STRIPE_API_URL must be https://HOST')
  },
)
