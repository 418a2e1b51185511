import { describe, expect, it } from 'vitest'
import { ClientError, createClient } from '../src/client/client.ts'
import { DRAFT, inMemory } from './harness.ts'
import { site } from './site.ts'

const url = 'http://placard.test'
const { placard, apiSecret } = inMemory({ trustProxy: 0 })
const fetch: typeof globalThis.fetch = (input, init) => placard.fetch(new Request(input, init))
const client = createClient({ url: `${url}/`, secret: apiSecret, fetch })

const refusal = (work: Promise<unknown>): Promise<ClientError> =>
  work.then(
    () => expect.unreachable(),
    (error) => {
      expect(error).toBeInstanceOf(ClientError)
      return error
    },
  )

describe('the typed client', () => {
  it('publishes, reads and withdraws', async () => {
    expect(await client.current()).toBeNull()
    const { id } = await client.publish({ ...DRAFT, type: 'post' })
    expect(await client.current()).toMatchObject({ id, ...DRAFT })
    expect(await client.withdraw({ id })).toMatchObject({ deleted: 1 })
    expect(await client.withdraw({ type: 'post' })).toMatchObject({ deleted: 0 })
  })

  it('reports what is wrong, field by field', async () => {
    const { status, issues } = await refusal(client.publish({ ...DRAFT, type: 'post', text: 'x' }))
    expect(status).toBe(400)
    expect(issues).toEqual([
      {
        path: 'text',
        code: 'wrong_length',
        message: 'must have 3 to 500 characters (it has 1)',
        params: { min: 3, max: 500, count: 1 },
      },
    ])
  })

  it('reports a wrong secret, and how long to wait', async () => {
    const guess = createClient({ url, secret: 'not-the-secret-at-all', fetch })
    for (;;) {
      const { status, message, retryAfter } = await refusal(guess.withdraw({ type: 'post' }))
      if (status === 401) continue
      expect([status, message]).toEqual([429, 'Too many requests'])
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      break
    }
  })

  it('reports that no service responds, or that something else does', async () => {
    const alone = createClient({ url, fetch: () => Promise.reject(new TypeError('fetch failed')) })
    expect(await refusal(alone.current())).toMatchObject({ status: 0, issues: [] })
    const proxy = createClient({ url, fetch: async () => new Response('bad', { status: 502 }) })
    expect(await refusal(proxy.current())).toMatchObject({ status: 502 })
  })
})

describe('the typed client, with another server', () => {
  const MESSAGE = { message: 'Done.', ok: true }
  /** A body that `publish`, `withdraw` and `current` would each accept as a success. */
  const anything = { ...MESSAGE, deleted: 1, event: null }
  const post = { ...DRAFT, type: 'post' as const }

  it('contract A12, A13: follows no redirect of a write, and says where it leads', async () => {
    const target = await site(200, { 'Placard-Event-Id': 'x' }, JSON.stringify(anything))
    const from = await site(302, { Location: `${target.url}/api/events` }, '')
    const there = createClient({ url: from.url, secret: apiSecret })
    for (const work of [there.publish(post), there.withdraw({ type: 'post' })]) {
      const error = await refusal(work)
      expect(error.status).toBe(302)
      expect(error.message).toContain(`redirects to ${target.url}/api/events`)
    }
    expect(target.asked).toEqual([])
    // A read may follow a redirect: its response is checked, and repeating it is harmless.
    expect(await there.current()).toBeNull()
    expect(target.asked).toEqual(['GET /api/events'])
  })

  const EVENT = { id: 'x', text: 'Some text', type: 'post', slug: '/', timestamp: '1' }
  const ENTRY = {
    ...{ id: '1', at: '1', action: 'published', by: { via: 'api' }, undo: 'possible' },
    ...{ before: null, after: EVENT },
  }
  const PAGE = { entries: [ENTRY], next: null }
  const id = { 'Placard-Event-Id': 'x' }
  /** A client that gets this response. */
  const answered = (status: number, headers: Record<string, string>, body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const given = new Response(text, { status, headers })
    return createClient({ url, fetch: async () => given })
  }
  const verbs = {
    publish: (there: typeof client) => there.publish(post),
    withdraw: (there: typeof client) => there.withdraw({ type: 'post' }),
    current: (there: typeof client) => there.current(),
    history: (there: typeof client) => there.history(),
  }

  it('spec 4.2: `current` sends the given headers, but neither the secret nor the actor', async () => {
    const headers = { 'X-Access': 'for the proxy' }
    let sent: RequestInit | undefined
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent = init
      return Response.json({ event: null })
    }
    await createClient({ url, secret: apiSecret, actor: 'Ada', headers, fetch }).current()
    expect(sent?.headers).toEqual(headers)
  })

  it.each([
    ['publish', 200, id, anything],
    ['publish', 201, {}, anything],
    ['publish', 201, id, { ok: true }],
    ['withdraw', 201, id, anything],
    ['withdraw', 200, {}, { ...anything, deleted: 'all' }],
    ['withdraw', 200, {}, { ...anything, ok: false }],
    ['current', 200, {}, '<!doctype html>'],
    ['current', 200, {}, null],
    ['current', 200, {}, { status: 'fine' }],
    ['current', 200, {}, { event: { ...EVENT, timestamp: 1 } }],
    ['current', 200, {}, { event: { ...EVENT, type: 'party' } }],
    ['current', 200, {}, { event: { ...EVENT, expiresAt: 'soon' } }],
    ['history', 200, {}, { ...PAGE, entries: [{ ...ENTRY, by: {} }] }],
    ['history', 200, {}, { ...PAGE, entries: [{ ...ENTRY, after: undefined }] }],
    ['history', 200, {}, { ...PAGE, next: 'more' }],
  ] as const)(
    'contract A12, A13, R1: throws a ClientError unless the response is as promised: %s, %i %j %j',
    async (verb, status, headers, body) => {
      const error = await refusal(verbs[verb](answered(status, headers, body)))
      expect(error.status).toBe(status)
      expect(error.message).toMatch(/ gave an unexpected response \(\d+\)$/)
    },
  )

  it('contract R1, R8: accepts the promised responses', async () => {
    expect(await answered(200, {}, { event: EVENT }).current()).toEqual(EVENT)
    expect(await answered(200, {}, PAGE).history()).toEqual(PAGE)
  })

  it('contract A11: reports an error even in an unexpected shape', async () => {
    const body = { error: { code: 1 }, issues: [null, { path: 'text' }], retryAfter: 'never' }
    const error = await refusal(answered(400, {}, body).publish(post))
    expect(error).toMatchObject({ status: 400, issues: [], retryAfter: undefined })
    expect(error.message).toBe(`${url}/api/events answered 400`)
  })
})
