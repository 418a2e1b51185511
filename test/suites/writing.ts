import { expect, it } from 'vitest'
import {
  answerOf,
  current,
  DRAFT,
  idOf,
  type Mount,
  publish,
  readOwned,
  withdraw,
  write,
} from '../harness.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** `POST` and `DELETE /api/events`, as clients see them. */
export function writing(mount: Mount): void {
  it('contract A12, spec 1, 4.1: a POST gets 201 with the new id, and replaces only the event of its type', async () => {
    await publish(mount, { ...DRAFT, type: 'product', text: 'the product' })
    const response = await publish(mount)
    expect(response.status).toBe(201)
    expect((await response.json()).message).toMatch(/saved.*replace/i)
    const first = idOf(response)
    expect(first).toMatch(UUID)
    expect(await current(mount)).toMatchObject({ id: first, ...DRAFT })
    const second = idOf(await publish(mount, { ...DRAFT, text: 'the second' }))
    expect(second).not.toBe(first)
    expect(await current(mount)).toMatchObject({ id: second, text: 'the second' })
    const gone = await withdraw(mount, { id: first })
    expect(await gone.json()).toMatchObject({ deleted: 0 })
    const last = await withdraw(mount, { type: 'post' })
    expect(await last.json()).toMatchObject({ deleted: 1 })
    expect(await current(mount)).toMatchObject({ type: 'product', text: 'the product' })
  })

  it('contract A12, spec 8: of parallel writes of one type, one wins and the others leave nothing behind', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `writer ${index}`)
    const answers = await Promise.all(texts.map((text) => publish(mount, { ...DRAFT, text })))
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201))
    expect(texts).toContain((await current(mount))?.text)
    const removed = await withdraw(mount, { type: 'post' })
    expect(await removed.json()).toMatchObject({ deleted: 1 })
    expect(await current(mount)).toBeNull()
  })

  it.each([
    ['a body', undefined],
    ['one query parameter', '/api/events'],
  ])(
    'contract A13, spec 3, 4.3: a DELETE with %s returns how many announcements it deleted',
    async (_, path) => {
      const remove = async (selector: Record<string, string>) => {
        const query = new URLSearchParams(selector)
        const sent = path ? undefined : selector
        const response = await write(mount, 'DELETE', sent, {}, path && `${path}?${query}`)
        expect(response.status).toBe(200)
        return (await response.json()).deleted
      }
      for (const by of ['id', 'type']) {
        const id = idOf(await publish(mount))
        const selector: Record<string, string> = by === 'id' ? { id } : { type: 'post' }
        // A repeat is harmless.
        expect([await remove(selector), await remove(selector)]).toEqual([1, 0])
        expect(await current(mount)).toBeNull()
      }
    },
  )

  it.each([
    ['both keys in the body', { type: 'post', id: 'x' }, ''],
    ['neither key in the body', {}, ''],
    ['a body and a query', { type: 'post' }, '?type=post'],
    ['both keys in the query', undefined, '?type=post&id=x'],
    ['a repeated parameter', undefined, '?type=post&type=coupon'],
    ['an unknown parameter', undefined, '?type=post&force=1'],
    ['a body and an unknown parameter', { type: 'post' }, '?force=1'],
    ['an unknown key', { type: 'post', force: true }, ''],
    ['an unknown type', { type: 'event' }, ''],
    ['an empty type', undefined, '?type='],
    ["an id that isn't a string", { id: 1 }, ''],
    ['an empty id', { id: '' }, ''],
    ['an id with NUL', { id: 'a\0' }, ''],
  ])('contract A13: a DELETE with %s gets 400 and deletes nothing', async (_, body, query) => {
    await publish(mount)
    const response = await write(mount, 'DELETE', body, {}, `/api/events${query}`)
    expect(response.status).toBe(400)
    expect(await current(mount)).toMatchObject(DRAFT)
  })

  it.each([1_799_053_200, '1799053200', 100_000_000, '99999999999', '01799053200'])(
    'contract A9, A14: a time in seconds gets a 400 that says so: %o',
    async (time) => {
      for (const field of ['startsAt', 'expiresAt']) {
        const { status, issues } = await answerOf(publish(mount, { ...DRAFT, [field]: time }))
        expect(status).toBe(400)
        const message = expect.stringContaining('seems to be in seconds')
        expect(issues).toEqual([{ path: field, code: 'in_seconds', message }])
      }
      const at = await answerOf(readOwned(mount, `/api/events/scheduled?at=${time}`))
      expect(at).toMatchObject({ status: 400, issues: [{ path: 'at', code: 'in_seconds' }] })
    },
  )

  it.each([
    ['1972-05-01T00:00:00Z', 'not_in_future'],
    ['31536000000', 'in_seconds'],
    [1, 'not_in_future'],
    ['99999999', 'not_in_future'],
    ['100000000000', 'not_in_future'],
    [1_799_053_200.5, 'in_seconds'],
    ['1799053200.123', 'in_seconds'],
    ['1.2.3', 'not_an_instant'],
  ])('contract A9: as expiresAt, %o gets the error code %s', async (time, code) => {
    const { issues } = await answerOf(publish(mount, { ...DRAFT, expiresAt: time }))
    expect(issues).toMatchObject([{ path: 'expiresAt', code }])
  })

  it('contract A10, A11: a rejected body changes nothing, and every issue is listed', async () => {
    await publish(mount)
    const wrong = { text: 'x', type: 'x', slug: '//x', icon: '', expiresAt: 1 }
    const body = { ...wrong, id: 1, timestamp: 1 }
    const response = await publish(mount, body)
    expect(response.status).toBe(400)
    const { error, code, issues } = await response.json()
    expect([error, code]).toEqual(['Invalid request body', 'invalid_body'])
    const paths = issues.map(({ path }: { path: string }) => path)
    expect(paths.toSorted()).toEqual(Object.keys(body).toSorted())
    expect(await current(mount)).toMatchObject(DRAFT)
  })
}
