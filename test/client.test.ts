import { describe, expect, it } from 'vitest'
import { ClientError, createClient } from '../src/client.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { DRAFT, makePlacard } from './harness.ts'

const url = 'http://placard.test'
const { placard, apiSecret } = makePlacard(sqliteStore(':memory:'), { trustProxy: 0 })
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

  it('says what is wrong, field by field', async () => {
    const { status, issues } = await refusal(client.publish({ ...DRAFT, type: 'post', text: 'x' }))
    expect(status).toBe(400)
    expect(issues).toEqual([{ path: 'text', message: expect.stringContaining('3 to 500') }])
  })

  it('says that the secret is wrong, and how long to wait', async () => {
    const guess = createClient({ url, secret: 'not-the-secret-at-all', fetch })
    for (;;) {
      const { status, message, retryAfter } = await refusal(guess.withdraw({ type: 'post' }))
      if (status === 401) continue
      expect([status, message]).toEqual([429, 'Too many requests'])
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      break
    }
  })

  it('says that nobody is there, or somebody else', async () => {
    const alone = createClient({ url, fetch: () => Promise.reject(new TypeError('fetch failed')) })
    expect(await refusal(alone.current())).toMatchObject({ status: 0, issues: [] })
    const page = createClient({ url, fetch: async () => new Response('<!doctype html>') })
    expect((await refusal(page.current())).message).toBe(
      `${url}/api/events answered, but it isn't Placard`,
    )
    const proxy = createClient({ url, fetch: async () => new Response('bad', { status: 502 }) })
    expect(await refusal(proxy.current())).toMatchObject({ status: 502 })
  })
})
