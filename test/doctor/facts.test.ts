import { describe, expect, it } from 'vitest'
import { Facts } from '../../src/core/facts.ts'
import { API_SECRET, readOwned, STRIPE_SECRET } from '../harness.ts'
import { running } from '../running.ts'
import { KEY, startFakeStripe } from '../stripe/fake.ts'

describe('contract R12: GET /api/doctor', () => {
  it('matches its schema with and without Stripe, reveals no secret and is never cached', async () => {
    const stripe = await startFakeStripe(Date.now)
    const server = await running({ STRIPE_API_KEY: KEY, STRIPE_API_URL: stripe.url })
    for (const query of ['', '?stripe']) {
      const answer = await readOwned(server, `/api/doctor${query}`)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const body = await answer.text()
      for (const secret of [API_SECRET, STRIPE_SECRET, KEY]) expect(body).not.toContain(secret)
      expect(Facts.strict().safeParse(JSON.parse(body)).error).toBeUndefined()
    }
    await stripe.close()
  })

  it('reports TRUST_PROXY, and GET /healthz reports how many X-Forwarded-For entries a request had', async () => {
    const server = await running({ TRUST_PROXY: '2' })
    expect(await (await readOwned(server, '/api/doctor')).json()).toMatchObject({ trustProxy: 2 })
    const headers = { 'X-Forwarded-For': '203.0.113.7, 192.0.2.1' }
    const health = await server.fetch('/healthz', { headers })
    expect(await health.json()).toMatchObject({ ok: true, forwarded: 2 })
  })
})
