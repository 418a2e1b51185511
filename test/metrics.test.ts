import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { API_SECRET, DRAFT, nextAddress, notify, publish } from './harness.ts'
import { running } from './running.ts'
import { KEY, startFakeStripe } from './stripe/fake.ts'

it('contract R6: a request that is cut off before its answer is counted as that, not as 200', async () => {
  const server = await running()
  const scrape = async () => {
    const headers = {
      Authorization: `Bearer ${API_SECRET}`,
      'X-Forwarded-For': nextAddress(),
    }
    const text = await (await server.fetch('/metrics', { headers })).text()
    return Object.fromEntries(
      [...text.matchAll(/^placard_requests_total\{method="POST",status="(\w+)"\} (\d+)$/gm)].map(
        ([, status, count]) => [status, Number(count)],
      ),
    )
  }
  await publish(server)
  await publish(server, { ...DRAFT, text: '' })
  expect(await scrape()).toEqual({ 201: 1, 400: 1 })
  const socket = connect(server.port, '127.0.0.1')
  const head = `POST /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_SECRET}`
  socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"text":`)
  await once(socket, 'connect')
  // It has arrived when a request that was sent later is answered.
  await publish(server)
  socket.destroy()
  await vi.waitFor(async () => expect(await scrape()).toEqual({ 201: 2, 400: 1, aborted: 1 }))
  await server.close()
})

it('contract T2, T3: requests to Stripe, offers refused and the age of the last answer are counted', async () => {
  const stripe = await startFakeStripe(Date.now)
  const server = await running({ STRIPE_API_KEY: KEY, STRIPE_API_URL: stripe.url })
  const scrape = async () => {
    const headers = { Authorization: `Bearer ${API_SECRET}`, 'X-Forwarded-For': nextAddress() }
    const text = await (await server.fetch('/metrics', { headers })).text()
    expect(text).not.toContain(KEY)
    const found = text.matchAll(/^placard_(stripe\w+|offers\w+)(?:\{result="(\w+)"\})? (\S+)$/gm)
    return Object.fromEntries(
      [...found].map(([, name = '', result, value]) => [result ?? name, Number(value)]),
    )
  }
  expect(await scrape()).toEqual({
    offers_refused_total: 0,
    stripe_answer_age_seconds: Number.NaN,
  })
  const soldOut = stripe.create({ id: 'FIVE', maxRedemptions: 5 })
  stripe.redeem('FIVE', 5)
  await notify(server, soldOut)
  const { stripe_answer_age_seconds: age, ...counts } = await scrape()
  expect(counts).toEqual({ answered: 1, offers_refused_total: 1 })
  expect(age).toBeLessThan(60)
  stripe.keys.clear()
  await notify(server, stripe.create({ id: 'OTHER' }))
  expect(await scrape()).toMatchObject({ denied: expect.any(Number) })
  await server.close()
  await stripe.close()
})
