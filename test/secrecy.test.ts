import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import {
  API_SECRET,
  coupon,
  type DirectMount,
  DRAFT,
  inMemory,
  makePlacard,
  nextAddress,
  notify,
  publish,
  STRIPE_SECRET,
  sign,
  withdraw,
  write,
} from './harness.ts'

const GUESS = 'a-guess-at-the-secret-4711'

/** Sends a request from a new address, so the log has a line for it. */
function ask(mount: DirectMount, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'X-Forwarded-For': nextAddress(), ...(init.headers as Record<string, string>) }
  return mount.fetch(path, { ...init, headers })
}

/** Requests that carry secrets where they belong, and where they don't. */
async function torment(mount: DirectMount): Promise<{ answers: Response[]; signature: string }> {
  const payload = JSON.stringify(coupon('created', { name: 'Never mind' }))
  const signature = sign(payload, STRIPE_SECRET, mount.now())
  const answers: Response[] = []
  const add = async (response: Promise<Response>) => answers.push(await response)
  await add(publish(mount))
  await add(publish(mount, DRAFT, { Authorization: `Bearer ${GUESS}` }))
  await add(publish(mount, DRAFT, { Authorization: `Basic ${btoa(`x:${API_SECRET}`)}` }))
  await add(publish(mount, DRAFT, { Authorization: `Bearer ${API_SECRET}, Bearer ${API_SECRET}` }))
  await add(publish(mount, { ...DRAFT, text: `x${'\0'}${API_SECRET}` }))
  await add(publish(mount, `{"text":"${API_SECRET}"`))
  await add(publish(mount, DRAFT, { 'Content-Type': `text/${API_SECRET}` }))
  await add(publish(mount, DRAFT, { 'X-Forwarded-For': API_SECRET }))
  await add(withdraw(mount, { id: API_SECRET }))
  await add(write(mount, 'DELETE', undefined, {}, `/api/events?id=${API_SECRET}`))
  await add(ask(mount, `/api/${API_SECRET}`))
  await add(ask(mount, `/api/events/${STRIPE_SECRET}`, { method: 'POST' }))
  await add(ask(mount, `/api/none?token=${API_SECRET}`))
  await add(notify(mount, payload, { 'Stripe-Signature': signature }))
  await add(notify(mount, payload, { 'Stripe-Signature': `${signature.slice(0, -4)}0000` }))
  await add(notify(mount, payload, { 'Stripe-Signature': STRIPE_SECRET }))
  await add(notify(mount, payload, { 'Stripe-Signature': undefined, Authorization: API_SECRET }))
  await add(notify(mount, 'no JSON'))
  return { answers, signature }
}

async function expectSecrecy(mount: DirectMount) {
  const { answers, signature } = await torment(mount)
  const [, v1 = ''] = signature.split('v1=')
  const log = JSON.stringify(mount.log.lines)
  expect(mount.log.lines.length).toBeGreaterThan(10)
  const spoken = await Promise.all(
    // A 404 may quote the path, which its client knows.
    answers
      .filter(({ status }) => status !== 404)
      .map(async (answer) => `${JSON.stringify([...answer.headers])}${await answer.text()}`),
  )
  const basic = btoa(`x:${API_SECRET}`)
  for (const secret of [API_SECRET, STRIPE_SECRET, GUESS, v1, v1.slice(0, -4), basic]) {
    expect(log).not.toContain(secret)
    expect(spoken.filter((text) => text.includes(secret))).toEqual([])
  }
  return { log, spoken, answers }
}

describe('secrecy', () => {
  it('contract R6: no secret, Authorization or Stripe-Signature reaches the log or a response', async () => {
    const mount = inMemory()
    await expectSecrecy(mount)
  })

  it('contract R6: no secret leaks, even if everything fails with errors that quote the request', async () => {
    const store = sqliteStore(':memory:')
    const fail = async (): Promise<never> => {
      const cause = Object.assign(new Error('disk I/O error at /var/lib/placard.db'), {
        request: { headers: { authorization: `Bearer ${API_SECRET}` } },
        header: `t=1,v1=${STRIPE_SECRET}`,
      })
      throw Math.random() < 0.5 ? cause : new StoreUnavailable(cause)
    }
    const mount = makePlacard({ ...store, publish: fail, withdraw: fail, applyNotification: fail })
    const { log, spoken, answers } = await expectSecrecy(mount)
    expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThan(3)
    expect(log).toContain('disk I/O error')
    expect(spoken.filter((text) => /disk I\/O|placard\.db|sqlite|at .*\.ts/i.test(text))).toEqual(
      [],
    )
  })

  it("contract R6: a log line has the route's pattern, and nothing else of the path", async () => {
    const mount = inMemory()
    const routes = {
      [`/api/${API_SECRET}`]: undefined,
      [`/api/events/${API_SECRET}?x=1`]: '/api/events/{id}',
      '/api/%65vents/history?limit=secret-in-a-query': '/api/events/history',
    }
    for (const [path, route] of Object.entries(routes)) {
      await ask(mount, path, { method: 'POST', headers: { 'X-Request-Id': API_SECRET } })
      expect(mount.log.lines.at(-1)?.fields).toMatchObject({ method: 'POST', route })
    }
    expect(JSON.stringify(mount.log.lines)).not.toMatch(/secret-0123|in-a-query|x=1/)
  })

  it('contract R6: no field of the log has a secret, not even in an error or a method', async () => {
    const store = sqliteStore(':memory:')
    const long = `${API_SECRET}-and-more`
    const fail = () => Promise.reject(new Error(`failed near ${API_SECRET} and ${long}`))
    const mount = makePlacard(
      { ...store, publish: fail, ping: fail },
      { apiSecret: [API_SECRET, long].join() },
    )
    expect((await publish(mount)).status).toBe(500)
    expect((await ask(mount, '/readyz', { method: API_SECRET })).status).toBe(405)
    const log = JSON.stringify(mount.log.lines)
    expect(log).toContain('failed near [secret] and [secret]')
    expect(log).toContain('"method":"[secret]"')
    expect(log).not.toMatch(new RegExp(`${API_SECRET}|and-more`))
  })

  it('contract R6: in an outage, a failed request has one log line, with its cause and no stack trace', async () => {
    const store = sqliteStore(':memory:')
    const mount = makePlacard(store)
    await store.close()
    const from = () => ({ 'X-Forwarded-For': nextAddress() })
    const answers = [
      await publish(mount, DRAFT, from()),
      await mount.fetch('/api/events', { headers: from() }),
      await mount.fetch('/readyz', { headers: from() }),
      await notify(mount, coupon('created'), from()),
    ]
    const lines = mount.log.lines.filter(({ fields }) => fields.requestId !== undefined)
    expect(lines).toEqual(
      answers.map((answer) => ({
        level: 'error',
        message: 'The database is unavailable; try again',
        fields: {
          requestId: answer.headers.get('x-request-id'),
          method: expect.stringMatching(/^(GET|POST)$/),
          route: expect.stringMatching(/^\/(api|readyz)/),
          status: 503,
          ms: expect.any(Number),
          error: expect.objectContaining({
            cause: { type: 'Error', message: 'the store is closed' },
          }),
        },
      })),
    )
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(450)
  })

  it("contract R6: a successful read isn't logged, and neither is its preflight", async () => {
    const mount = inMemory()
    const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
    await ask(mount, '/api/events')
    expect((await ask(mount, '/api/events', { method: 'OPTIONS', headers })).status).toBe(204)
    expect(mount.log.lines).toEqual([])
    await ask(mount, '/api/doctor', { method: 'OPTIONS', headers })
    expect(mount.log.lines).toHaveLength(1)
  })

  it("contract A4: a service can't be created with a secret that is empty or too short", () => {
    const make = (options: object) => () => inMemory(options)
    for (const apiSecret of ['', ' ', ',', 'short', 'x'.repeat(15), `${API_SECRET},short`]) {
      expect(make({ apiSecret }), apiSecret).toThrow(TypeError)
      if (apiSecret.trim().length > 1) expect(make({ apiSecret })).not.toThrow(apiSecret)
    }
    expect(make({ stripeWebhookSecret: 'short' })).toThrow(TypeError)
  })

  it.each([
    [`,${API_SECRET}`, 1],
    [`${API_SECRET}, `, 1],
    [`${API_SECRET},the-secret-of-the-cron`, 0],
  ])(
    'contract A4: among several secrets, only an empty entry gets a warning: %s',
    async (apiSecret, times) => {
      const mount = inMemory({ apiSecret })
      expect((await publish(mount)).status).toBe(201)
      const warned = mount.log.lines.filter(({ level }) => level === 'warn')
      expect(warned.map(({ message }) => message)).toEqual(
        Array(times).fill(expect.stringMatching(/^EVENT_API_SECRET has an empty entry/)),
      )
    },
  )

  it('contract A4: several secrets are valid at once, for rotation', async () => {
    const other = 'the-secret-after-rotation'
    const mount = inMemory({ apiSecret: `${API_SECRET} , ${other},` })
    for (const [token, status] of [
      [API_SECRET, 201],
      [other, 201],
      [`${API_SECRET},${other}`, 401],
      ['', 401],
      [other.slice(1), 401],
    ] as const) {
      const response = await publish(mount, DRAFT, { Authorization: `Bearer ${token}` })
      expect(response.status, token).toBe(status)
    }
  })
})
