import { describe, expect, it } from 'vitest'
import { Facts } from '../../src/core/facts.ts'
import { API_SECRET, readOwned, STRIPE_SECRET } from '../harness.ts'
import { running } from '../running.ts'
import { KEY, startFakeStripe } from '../stripe/fake.ts'

describe('contract R12: GET /api/doctor', () => {
  it('says what its schema says, with and without Stripe, no secret among it, and is kept by no cache', async () => {
    const stripe = await startFakeStripe(Date.now)
    const server = await running({ STRIPE_API_KEY: KEY, STRIPE_API_URL: stripe.url })
    for (const query of ['', '?stripe', '?probe=0123456789abcdef']) {
      const answer = await readOwned(server, `/api/doctor${query}`)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const body = await answer.text()
      for (const secret of [API_SECRET, STRIPE_SECRET, KEY]) expect(body).not.toContain(secret)
      expect(Facts.strict().safeParse(JSON.parse(body)).error).toBeUndefined()
    }
    await stripe.close()
  })

  it('tells how many addresses the request with a mark came with', async () => {
    const server = await running()
    const facts = async () =>
      (await (await readOwned(server, '/api/doctor?probe=mark-of-a-request')).json()).proxy
    expect(await facts()).toEqual({ trusted: 1, all: 0, forwarded: 0 })
    const headers = { 'X-Forwarded-For': '203.0.113.7, 192.0.2.1' }
    await server.fetch('/api/events?doctor=mark-of-a-request', { headers })
    expect(await facts()).toMatchObject({ all: 1, forwarded: 1, probe: 2 })
  })
})
