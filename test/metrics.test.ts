import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { coupon, DRAFT, notify, publish } from './harness.ts'
import { raw, wire, writeHeaders } from './raw.ts'
import { running } from './running.ts'
import { soon } from './soon.ts'
import { temporaryDirectory } from './stores.ts'
import { KEY, startFakeStripe } from './stripe/fake.ts'

it('contract R6: a request cut off before its response counts as aborted, not as 200', async () => {
  const server = await running()
  const posts = async () =>
    Object.entries(await server.metrics('requests_total'))
      .filter(([name, count]) => name.includes('"POST"') && count > 0)
      .map(([name, count]) => [/status="(\w+)"/.exec(name)?.[1], count])
  await publish(server)
  await publish(server, { ...DRAFT, text: '' })
  expect(Object.fromEntries(await posts())).toEqual({ 201: 1, 400: 1 })
  const { socket } = await raw(server.port, wire('POST /api/events', writeHeaders(99), '{"text":'))
  // Once a later request has its response, this one has arrived.
  await publish(server)
  socket.destroy()
  await soon(async () =>
    expect(Object.fromEntries(await posts())).toEqual({ 201: 2, 400: 1, aborted: 1 }),
  )
})

it("contract T2, T3: metrics count requests to Stripe and refused offers, and show the age of Stripe's last response", async () => {
  const stripe = await startFakeStripe(Date.now)
  // On a busy machine, the service may send its first request before the first scrape.
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  stripe.latency = () => held
  const server = await running({ STRIPE_API_KEY: KEY, STRIPE_API_URL: stripe.url })
  const scrape = async () => {
    const found = await server.metrics('stripe\\w+|offers\\w+')
    expect(JSON.stringify(found)).not.toContain(KEY)
    return Object.fromEntries(
      Object.entries(found).map(([name, value]) => [
        /result="(\w+)"/.exec(name)?.[1] ?? name,
        value,
      ]),
    )
  }
  // The counters start at 0, so an alert sees the first denied request: a key without access is tried once an hour.
  const none = {
    ...{ answered: 0, denied: 0, limited: 0, failed: 0 },
    stripe_events_passed_over_total: 0,
  }
  expect(await scrape()).toEqual({
    ...none,
    offers_refused_total: 0,
    stripe_answer_age_seconds: Number.NaN,
  })
  release()
  await notify(server, stripe.create({ id: 'GOOD' }))
  const soldOut = stripe.create({ id: 'FIVE', maxRedemptions: 5 })
  stripe.redeem('FIVE', 5)
  await notify(server, soldOut)
  const { stripe_answer_age_seconds: age, answered, ...counts } = await scrape()
  // On a busy machine, the service may have begun to list events by now.
  expect(answered).toBeGreaterThanOrEqual(1)
  expect({ ...counts, answered: 0 }).toEqual({ ...none, offers_refused_total: 1 })
  expect(age).toBeLessThan(60)
  await notify(server, stripe.create({ id: 'TWO', maxRedemptions: 2 }))
  // The trigger makes the service ask about the published coupon, and take it down.
  await notify(server, stripe.redeem('TWO', 2))
  await soon(async () => expect(await scrape()).toMatchObject({ offers_refused_total: 2 }))
  stripe.keys.clear()
  await notify(server, stripe.create({ id: 'OTHER' }))
  expect((await scrape()).denied).toBeGreaterThanOrEqual(1)
  await stripe.close()
})

it('contract R3: metrics show whether the database responds, and whether readers get the last known state', async () => {
  const file = join(temporaryDirectory(), 'placard.db')
  const server = await running({ DATABASE_URL: `file:${file}` })
  const healthy = { stale: 0, database_up: 1 }
  const metrics = () => server.metrics('stale|database_up')
  expect(await metrics()).toEqual(healthy)
  renameSync(file, `${file}.away`)
  await expect.poll(metrics).toEqual({ stale: 1, database_up: 0 })
  renameSync(`${file}.away`, file)
  await expect.poll(metrics).toEqual(healthy)
})

it('contract R3: placard_writable is 0 from a failed write until a write is committed', async () => {
  const file = join(temporaryDirectory(), 'placard.db')
  const server = await running({ DATABASE_URL: `file:${file}` })
  const statusAndMetrics = async () => {
    const { status } = await publish(server)
    return { status, ...(await server.metrics('writable|database_up')) }
  }
  expect(await statusAndMetrics()).toEqual({ status: 201, writable: 1, database_up: 1 })
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  expect(await statusAndMetrics()).toEqual({ status: 503, writable: 0, database_up: 1 })
  other.exec('rollback')
  other.close()
  expect(await statusAndMetrics()).toEqual({ status: 201, writable: 1, database_up: 1 })
})

it('contract R6: failure counters start at 0, so alerts see the first failure as an increase', async () => {
  const server = await running()
  const failures = ['GET', 'POST', 'PUT', 'DELETE'].flatMap((method) =>
    ['500', '503'].map((status) => [`requests_total{method="${method}",status="${status}"}`, 0]),
  )
  expect(await server.metrics('requests_total')).toMatchObject(Object.fromEntries(failures))
})

it('contract W1, R4: metrics count notifications by status, and show the limit on streams', async () => {
  const server = await running({ MAX_STREAMS: '7' })
  const names = 'notifications_total|streams_max'
  const start = {
    'notifications_total{status="200"}': 0,
    'notifications_total{status="400"}': 0,
    'notifications_total{status="503"}': 0,
    streams_max: 7,
  }
  expect(await server.metrics(names)).toEqual(start)
  await notify(server, coupon('created'))
  await server.fetch('/api/webhooks?by=stripe', { method: 'POST', body: '{}' })
  await soon(async () =>
    expect(await server.metrics(names)).toEqual({
      ...start,
      'notifications_total{status="200"}': 1,
      'notifications_total{status="400"}': 1,
    }),
  )
})
