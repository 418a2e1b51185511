import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/store/sqlite.ts'
import { StoreUnavailable } from '../src/store/store.ts'
import {
  API_SECRET,
  coupon,
  type DirectMount,
  DRAFT,
  makePlacard,
  notify,
  publish,
  STRIPE_SECRET,
  sign,
  withdraw,
  write,
} from './harness.ts'

const GUESS = 'a-guess-at-the-secret-4711'

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
  await add(publish(mount, DRAFT, { 'X-Request-Id': API_SECRET }))
  await add(publish(mount, DRAFT, { 'X-Request-Id': STRIPE_SECRET }))
  await add(publish(mount, DRAFT, { 'X-Forwarded-For': API_SECRET }))
  await add(withdraw(mount, { id: API_SECRET }))
  await add(write(mount, 'DELETE', undefined, {}, `/api/events?id=${API_SECRET}`))
  await add(mount.fetch(`/api/${API_SECRET}`))
  await add(mount.fetch(`/api/events/${STRIPE_SECRET}`, { method: 'POST' }))
  await add(mount.fetch(`/api/none?token=${API_SECRET}`))
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
    // Who asks for a path is told that path; nobody else is.
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
  it('contract R6: no secret, Authorization or Stripe-Signature reaches the log or an answer', async () => {
    const mount = makePlacard(sqliteStore(':memory:'))
    await expectSecrecy(mount)
    await mount.close()
  })

  it('contract R6: nor when everything fails inside, and errors carry what was sent', async () => {
    const store = sqliteStore(':memory:')
    const fail = async (): Promise<never> => {
      const cause = Object.assign(new Error('disk I/O error at /var/lib/placard.db'), {
        request: { headers: { authorization: `Bearer ${API_SECRET}` } },
        header: `t=1,v1=${STRIPE_SECRET}`,
      })
      throw Math.random() < 0.5 ? cause : new StoreUnavailable(cause)
    }
    const mount = makePlacard({ ...store, publish: fail, withdraw: fail, applyNotice: fail })
    const { log, spoken, answers } = await expectSecrecy(mount)
    expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThan(3)
    expect(log).toContain('disk I/O error')
    expect(spoken.filter((text) => /disk I\/O|placard\.db|sqlite|at .*\.ts/i.test(text))).toEqual(
      [],
    )
    await mount.close()
  })

  it('contract R6: the log has the cause of a 5xx under the id that the client was given', async () => {
    const store = sqliteStore(':memory:')
    const mount = makePlacard({
      ...store,
      publish: () => Promise.reject(new Error('what really happened')),
    })
    const response = await publish(mount)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: 'Internal error' })
    const id = response.headers.get('x-request-id')
    const lines = mount.log.lines.filter(({ fields }) => fields.requestId === id)
    expect(lines.map(({ level }) => level)).toContain('error')
    expect(JSON.stringify(lines)).toContain('what really happened')
    await mount.close()
  })

  it('contract R6: a proxy’s request id is taken over, anything unlike one is not', async () => {
    const mount = makePlacard(sqliteStore(':memory:'))
    const idOf = async (given: string) => {
      const response = await publish(mount, '', { 'X-Request-Id': given })
      const id = response.headers.get('x-request-id')
      expect(mount.log.lines.at(-1)?.fields.requestId).toBe(id)
      return id
    }
    expect(await idOf('req-1.2_3')).toBe('req-1.2_3')
    for (const odd of ['a b', 'x'.repeat(65), '{"a":1}', 'é', '<x>']) {
      const id = await idOf(odd)
      expect(id).not.toBe(odd)
      expect(id).toMatch(/^[\w.-]{8,64}$/)
    }
    await mount.close()
  })

  it('contract A4: secrets that are too short, or none, are refused when it is made', () => {
    const make = (options: object) => () => makePlacard(sqliteStore(':memory:'), options)
    for (const apiSecret of ['', ' ', ',', 'short', 'x'.repeat(15), `${API_SECRET},short`]) {
      expect(make({ apiSecret }), apiSecret).toThrow(TypeError)
      if (apiSecret.trim().length > 1) expect(make({ apiSecret })).not.toThrow(apiSecret)
    }
    expect(make({ stripeWebhookSecret: 'short' })).toThrow(TypeError)
  })

  it('contract A4: several secrets are valid at once, for rotation', async () => {
    const other = 'the-secret-after-rotation'
    const mount = makePlacard(sqliteStore(':memory:'), { apiSecret: `${API_SECRET} , ${other},` })
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
    await mount.close()
  })
})
