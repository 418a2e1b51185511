import { beforeEach, describe, expect, it } from 'vitest'
import { signedIn, type Visitor } from './admin/visitor.ts'
import { answerOf, type DirectMount, type Extra, nextAddress, publish, write } from './harness.ts'

/** What a browser says of a request that a page of another site makes it send. */
const FOREIGN: Extra[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'https://elsewhere.test' },
  { Origin: 'null' },
]

describe('a page of another site, open in the browser of the owner', () => {
  let mount: DirectMount
  let visitor: Visitor
  let from: { 'X-Forwarded-For': string }
  beforeEach(async () => {
    from = { 'X-Forwarded-For': nextAddress() }
    ;({ mount, visitor } = await signedIn())
  })

  const history = (headers: Record<string, string> = {}) =>
    mount.fetch('/api/events/history', { headers: { ...from, ...headers } })
  const right = () => ({ Authorization: `Bearer ${mount.apiSecret}` })

  it('contract R7: reads without a bearer are refused and not counted', async () => {
    for (let count = 0; count < 30; count++) expect((await history()).status).toBe(401)
    expect((await history(right())).status).toBe(200)
  })

  it('contract A4, R7, O2: wrong bearers are counted, right ones are not, and neither refuses a session', async () => {
    for (let count = 0; count < 30; count++) expect((await history(right())).status).toBe(200)
    // Those that come at once are limited like those that come one by one.
    const wrong = { Authorization: 'Bearer wrong' }
    const guesses = await Promise.all(Array.from({ length: 50 }, () => history(wrong)))
    const statuses = guesses.map(({ status }) => status)
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(40).fill(429)])
    // Even the right bearer waits, or the limit would not stop guessing.
    expect((await history(right())).status).toBe(429)
    for (const path of ['/admin', '/admin/history', '/admin/live']) {
      expect((await visitor.get(path, from)).status, path).toBe(200)
    }
    mount.clock.advance(10_000)
    const headers = { ...from, ...right() }
    const response = await mount.fetch('/api/events/scheduled', { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each(FOREIGN)(
    'contract A1: its writes use up none of the ten of its reader, %o',
    async (by) => {
      const own = { ...from, ...by, Authorization: undefined }
      for (const method of ['POST', 'DELETE', 'POST', 'DELETE', 'POST'] as const) {
        const { status } = await write(mount, method, { type: 'post' }, own)
        expect(status).toBe(401)
        expect((await publish(mount, { type: 'post' }, own)).headers.get('ratelimit')).toMatch(/r=/)
      }
      const refused = await answerOf(publish(mount, undefined, own))
      expect(refused).toMatchObject({ status: 429, retryAfter: 10 })
      expect((await publish(mount, undefined, from)).headers.get('ratelimit')).toMatch(/r=9/)
    },
  )

  it.each([
    {},
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'http://placard.test' },
  ])('contract A1: what no such page sent is counted, with a bearer or without, %o', async (by) => {
    const own = { ...from, ...by, Authorization: undefined }
    for (let count = 0; count < 10; count++) {
      expect((await publish(mount, undefined, own)).status).toBe(401)
    }
    expect((await publish(mount, undefined, from)).status).toBe(429)
  })

  it('contract A1: with a bearer, it is counted wherever it comes from', async () => {
    for (const by of FOREIGN) await publish(mount, undefined, { ...from, ...by })
    expect((await publish(mount, undefined, from)).headers.get('ratelimit')).toMatch(/r=5/)
  })
})
