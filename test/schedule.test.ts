import { expect, it } from 'vitest'
import {
  answerOf,
  current,
  DRAFT,
  historyOf,
  idOf,
  type Mount,
  makePlacard,
  manualClock,
  publish,
  readOwned,
  undo,
  withdraw,
  write,
} from './harness.ts'
import { onEachStore } from './suites/mount.ts'

const HOUR = 3_600_000

onEachStore('the schedule', (mount) => {
  const get = async (path: string, from: Mount = mount) => (await readOwned(from, path)).json()
  const inHours = (hours: number) => String(mount.clock.now() + hours * HOUR)
  const scheduled = async () => (await get('/api/events/scheduled')).events

  it("contract A14: a scheduled announcement replaces nothing before its start, when it becomes its type's event", async () => {
    const before = idOf(await publish(mount))
    const startsAt = inHours(1)
    const answer = await publish(mount, { ...DRAFT, text: 'From nine on', startsAt })
    expect(answer.status).toBe(201)
    expect((await answer.json()).message).toContain(new Date(Number(startsAt)).toISOString())
    expect(await current(mount)).toMatchObject({ id: before })
    const id = idOf(answer)
    expect(await scheduled()).toEqual([
      { ...DRAFT, text: 'From nine on', id, startsAt, etag: expect.any(String) },
    ])
    mount.clock.advance(HOUR - 1)
    expect(await current(mount)).toMatchObject({ id: before })
    mount.clock.advance(1)
    expect(await current(mount)).toMatchObject({ id, timestamp: startsAt })
    expect(await scheduled()).toEqual([])
  })

  it('contract A14: a start in the past or now publishes at once', async () => {
    const id = idOf(await publish(mount, { ...DRAFT, startsAt: inHours(0) }))
    expect(await current(mount)).toMatchObject({ id })
    expect(idOf(await publish(mount, { ...DRAFT, startsAt: '2020-01-01T00:00:00Z' }))).not.toBe(id)
    expect(await scheduled()).toEqual([])
  })

  it('contract A14: has at most 20 announcements, and a rejected one changes nothing', async () => {
    for (let count = 0; count < 20; count++) {
      expect((await publish(mount, { ...DRAFT, startsAt: inHours(1 + count) })).status).toBe(201)
    }
    const more = { ...DRAFT, text: 'Too many', startsAt: inHours(1) }
    const issues = [{ path: 'startsAt' }]
    expect(await answerOf(publish(mount, more))).toMatchObject({ status: 400, issues })
    expect(await scheduled()).toHaveLength(20)
  })

  it("contract A14, W7: repeating a post after a hook's 503 adds nothing, even if 20 announcements are scheduled", async () => {
    let purge = () => Promise.reject(new Error('no cache'))
    const node = makePlacard(await mount.place.open(), { onChange: () => purge() })
    const startsAt = inHours(1)
    const draft = { ...DRAFT, startsAt, expiresAt: inHours(2), translations: { de: 'Deutsch' } }
    expect((await publish(node, draft)).status).toBe(503)
    purge = () => Promise.resolve() as Promise<never>
    const id = idOf(await publish(node, draft))
    expect((await get('/api/events/scheduled', node)).events).toMatchObject([{ id }])
    for (let count = 1; count < 20; count++) {
      await publish(node, { ...draft, startsAt: inHours(1 + count), expiresAt: inHours(90) })
    }
    expect(idOf(await publish(node, draft))).toBe(id)
    expect(await historyOf(node)).toHaveLength(20)
    await node.close()
  })

  it('contract A14: a post counts as new if it differs in any field from the last one for its type and start', async () => {
    const draft = { ...DRAFT, startsAt: inHours(1) }
    const others = [
      { ...draft, text: 'Another text' },
      { ...draft, icon: 'star' },
      { ...draft, expiresAt: inHours(2) },
      { ...draft, translations: { de: 'Deutsch' } },
      { ...draft, startsAt: inHours(3) },
      { ...draft, type: 'coupon' },
    ]
    for (const other of others) {
      await publish(mount, draft)
      await publish(mount, other)
    }
    await publish(mount, draft)
    // A post with another start or type doesn't displace `draft`, so repeating `draft` adds nothing.
    const count = 2 * others.length - 1
    expect(await scheduled()).toHaveLength(count)
    expect(new Set((await scheduled()).map(({ id }: { id: string }) => id)).size).toBe(count)
  })

  it('contract A14: announcements with the same start follow the order of posting, even one that an undo restored', async () => {
    const startsAt = inHours(1)
    const later = (text: string, type = 'post') =>
      publish(mount, { ...DRAFT, text, type, startsAt })
    const first = idOf(await later('First'))
    await later('Second')
    const third = idOf(await later('Third'))
    await withdraw(mount, { id: first })
    await undo(mount)
    // This repeats the last post.
    expect(idOf(await later('Third'))).toBe(third)
    await later('Fourth', 'coupon')
    mount.clock.advance(HOUR)
    // The first read computes what a writer stores later, so both have to agree to the last byte.
    const computed = await mount.fetch('/api/events')
    await withdraw(mount, { id: 'nothing-goes-by-this-id' })
    const stored = await mount.fetch('/api/events')
    expect(stored.headers.get('etag')).toBe(computed.headers.get('etag'))
    const { event } = await stored.json()
    expect(event).toMatchObject({ text: 'Fourth' })
    expect(event).toEqual((await computed.json()).event)
    const started = (await historyOf(mount, '?limit=4')).map(({ after }) => after)
    expect(started).toMatchObject(
      ['First', 'Second', 'Third', 'Fourth']
        .map((text, place) => ({ text, timestamp: String(Number(startsAt) + place) }))
        .toReversed(),
    )
  })

  it('contract A13: deleting by type keeps scheduled announcements and counts them; deleting by id removes one', async () => {
    const id = idOf(await publish(mount, { ...DRAFT, startsAt: inHours(1) }))
    await publish(mount, { ...DRAFT, startsAt: inHours(2) })
    await publish(mount, { ...DRAFT, type: 'coupon', startsAt: inHours(1) })
    await publish(mount)
    const byType = await (await withdraw(mount, { type: 'post' })).json()
    expect(byType).toMatchObject({ deleted: 1, message: expect.stringContaining('2 of this type') })
    expect(await scheduled()).toHaveLength(3)
    expect(await (await withdraw(mount, { id })).json()).toMatchObject({ deleted: 1 })
    expect(await scheduled()).toMatchObject([{ type: 'coupon' }, { type: 'post' }])
  })

  it('contract R7, A9: ?at= accepts every form of a time, and nothing else', async () => {
    const ask = (query: string) => readOwned(mount, `/api/events/scheduled${query}`)
    mount.clock.set(Date.UTC(2027, 0, 1, 12))
    await publish(mount, { ...DRAFT, startsAt: '2027-01-01T13:00:00Z' })
    const start = Date.UTC(2027, 0, 1, 13)
    const before = ['0', String(start - 1)]
    const after = [String(start), '2027-01-01T14:00:00+01:00', '2027-01-01T14:00:00%2B01:00']
    for (const [ats, event] of [
      [before, null],
      [after, { text: DRAFT.text }],
    ] as const) {
      for (const at of ats) {
        const answer = await ask(`?at=${at}`)
        expect(answer.status, at).toBe(200)
        expect((await answer.json()).event, at).toEqual(event && expect.objectContaining(event))
      }
    }
    const queries = ['?at=', '?at=now', '?at=8640000000000001', '?at=1&at=1', '?at=1&x=1', '?AT=1']
    for (const query of queries) expect((await ask(query)).status, query).toBe(400)
  })

  it('contract A14: the first read after a start shows the announcement, even if no process was running at its start', async () => {
    const { place } = mount
    const clock = manualClock()
    const earlier = makePlacard(await place.open(), {}, clock)
    const startsAt = String(clock.now() + HOUR)
    const id = idOf(await publish(earlier, { ...DRAFT, startsAt }))
    await earlier.close()
    clock.advance(2 * HOUR)
    const nodes = [
      makePlacard(await place.open(), {}, clock),
      makePlacard(await place.open(), {}, clock),
    ] as const
    const answers = await Promise.all(nodes.map((node) => node.fetch('/api/events')))
    const [etag] = answers.map(({ headers }) => headers.get('etag'))
    for (const answer of answers) {
      expect(answer.headers.get('etag')).toBe(etag)
      expect((await answer.json()).event).toMatchObject({ id, timestamp: startsAt })
    }
    // Both nodes and the next write would store the start, but it is stored only once.
    await Promise.all(nodes.map((node) => withdraw(node, { id: 'none' })))
    expect(await historyOf(nodes[0])).toMatchObject([
      { action: 'started' },
      { action: 'scheduled' },
    ])
    expect((await nodes[1].fetch('/api/events')).headers.get('etag')).toBe(etag)
    await Promise.all(nodes.map((node) => node.close()))
  })

  it.each([
    '"TAG-gzip"',
    'W/"TAG-gzip"',
    '"TAG--gzip"',
    '"TAG;gzip"',
    '"TAG-br"',
    'W/"TAG-zstd"',
    '"TAG-deflate"',
    '"TAG-gz"',
    '"TAG-x-gzip"',
    '"TAG;BR"',
    '"old-br", W/"TAG-br"',
  ])(
    'contract A17: If-Match accepts an ETag that a compressing proxy has changed: %s',
    async (form) => {
      await publish(mount)
      const seen = String((await mount.fetch('/api/events')).headers.get('etag'))
      const given = { 'If-Match': form.replace('TAG', seen.slice(1, -1)) }
      expect((await publish(mount, DRAFT, given)).status).toBe(201)
      expect((await publish(mount, DRAFT, given)).status).toBe(412)
    },
  )

  it.each(['"TAG-other"', '"TAGgzip"', '"TAG-"', 'TAG', '"x-gzip"', '"TAG-gzip', '""', '-gzip'])(
    'contract A17: If-Match rejects a different or malformed ETag: %s',
    async (form) => {
      await publish(mount)
      const seen = String((await mount.fetch('/api/events')).headers.get('etag'))
      const given = { 'If-Match': form.replace('TAG', seen.slice(1, -1)) }
      expect((await publish(mount, DRAFT, given)).status).toBe(412)
    },
  )

  it('contract A17, R9: a write with If-Match gets 412 once the announcement has changed', async () => {
    await publish(mount)
    const seen = String((await mount.fetch('/api/events')).headers.get('etag'))
    const other = await publish(mount, { ...DRAFT, type: 'coupon' }, { 'If-Match': seen })
    expect(other.status).toBe(201)
    for (const method of ['POST', 'DELETE'] as const) {
      const body = method === 'POST' ? DRAFT : { type: 'coupon' }
      const refused = await answerOf(write(mount, method, body, { 'If-Match': seen }))
      expect(refused).toMatchObject({ status: 412, error: expect.any(String) })
    }
    const scheduling = { ...DRAFT, startsAt: inHours(1) }
    expect((await publish(mount, scheduling, { 'If-Match': seen })).status).toBe(412)
    expect((await undo(mount, undefined, { 'If-Match': seen })).status).toBe(412)
    expect(await historyOf(mount)).toHaveLength(2)
    expect(await current(mount)).toMatchObject({ id: idOf(other) })
    const shows = String((await mount.fetch('/api/events')).headers.get('etag'))
    expect((await undo(mount, undefined, { 'If-Match': shows })).status).toBe(200)
    const now = String((await mount.fetch('/api/events')).headers.get('etag'))
    expect((await publish(mount, DRAFT, { 'If-Match': `"x", W/${now}` })).status).toBe(201)
    expect((await withdraw(mount, { type: 'post' }, { 'If-Match': '*' })).status).toBe(200)
  })
})
