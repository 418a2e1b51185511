import { beforeEach, describe, expect, it } from 'vitest'
import { signedIn, type Visitor } from './admin/visitor.ts'
import { answerOf, type DirectMount, type Extra, nextAddress, publish, write } from './harness.ts'

/**
 * The headers that a browser adds to a page's request. The last two pages use DNS rebinding: their host names now resolve
 * to the service's address, so their requests are same-origin and may have any header.
 */
const PAGES: Extra[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'https://elsewhere.test' },
  { Origin: 'null' },
  {
    'Sec-Fetch-Site': 'same-origin',
    Origin: 'http://rebound.test:3000',
    Host: 'rebound.test:3000',
  },
  { Origin: 'http://placard.test' },
]

describe("a page of another site, open in the owner's browser", () => {
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

  it('contract R7: gets 401 for each read without a bearer token, and none of them counts towards the limit', async () => {
    for (let count = 0; count < 30; count++) expect((await history()).status).toBe(401)
    expect((await history(right())).status).toBe(200)
  })

  it("contract A4, R7, O2: reaches the limit on reads only with wrong bearer tokens, and the admin's sessions have no such limit", async () => {
    for (let count = 0; count < 30; count++) expect((await history(right())).status).toBe(200)
    // Simultaneous guesses are limited like consecutive ones.
    const wrong = { Authorization: 'Bearer wrong' }
    const guesses = await Promise.all(Array.from({ length: 50 }, () => history(wrong)))
    const statuses = guesses.map(({ status }) => status)
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(40).fill(429)])
    // The right token is refused too; otherwise, the limit wouldn't stop guessing.
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

  it.each([
    ...PAGES.map((by) => ({ ...by, Authorization: undefined })),
    ...PAGES.filter(({ Origin }) => Origin).map((by) => ({ ...by, Authorization: 'Bearer wrong' })),
    { Authorization: undefined },
    { 'Sec-Fetch-Site': 'none', Authorization: undefined },
  ])("contract A1: uses up none of its reader's ten writes with the headers %o", async (by) => {
    const own = { ...from, ...by }
    for (const method of ['POST', 'DELETE', 'POST', 'DELETE', 'POST'] as const) {
      const { status } = await write(mount, method, { type: 'post' }, own)
      expect(status).toBe(401)
      expect((await publish(mount, { type: 'post' }, own)).headers.get('ratelimit')).toMatch(/r=/)
    }
    const refused = await answerOf(publish(mount, undefined, own))
    expect(refused).toMatchObject({ status: 429, retryAfter: 10 })
    expect((await publish(mount, undefined, from)).headers.get('ratelimit')).toMatch(/r=9/)
  })

  it("contract A1, O1: uses up none of its reader's ten writes by trying to sign in, and its attempts are limited", async () => {
    const signIn = (secret: string) => visitor.post('/admin/session', { secret }, from)
    for (let count = 0; count < 10; count++) expect((await signIn('wrong')).status).not.toBe(429)
    expect((await signIn(mount.apiSecret)).status).toBe(429)
    expect((await publish(mount, undefined, from)).headers.get('ratelimit')).toMatch(/r=9/)
  })

  it("contract A1, A4: can't find out which of its guesses is the right token once it has reached its limit", async () => {
    const page = { ...from, Origin: 'http://placard.test' }
    const wrong = { ...page, Authorization: 'Bearer wrong' }
    const guesses = await Promise.all(Array.from({ length: 50 }, () => publish(mount, {}, wrong)))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    expect((await publish(mount, undefined, page)).status).toBe(429)
    mount.clock.advance(10_000)
    expect((await publish(mount, undefined, page)).status).toBe(201)
  })

  it("contract A1: isn't counted like a tool, whose wrong tokens use up the ten writes of its address", async () => {
    const wrong = { ...from, Authorization: 'Bearer wrong' }
    for (let count = 0; count < 10; count++) {
      expect((await publish(mount, undefined, wrong)).status).toBe(401)
    }
    expect((await publish(mount, undefined, from)).status).toBe(429)
  })

  it("contract A1: uses up its reader's ten writes if it has the right token", async () => {
    for (const by of PAGES) await publish(mount, undefined, { ...from, ...by })
    expect((await publish(mount, undefined, from)).headers.get('ratelimit')).toMatch(/r=3/)
  })
})
