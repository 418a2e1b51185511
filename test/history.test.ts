import { beforeEach, expect, it, vi } from 'vitest'
import type { WireHistoryEntry } from '../src/core/history.ts'
import { afterTest } from './after-file.ts'
import {
  answerOf,
  coupon,
  current,
  DRAFT,
  historyOf,
  idOf,
  makePlacard,
  notify,
  publish,
  put,
  readOwned,
  type TimedClock,
  tick,
  timedClock,
  undo,
  withdraw,
} from './harness.ts'
import { onEachStore } from './suites/mount.ts'

const HOUR = 3_600_000

onEachStore('the history', (mount) => {
  const inHours = (hours: number) => String(mount.clock.now() + hours * HOUR)
  const page = async (query = '') => {
    const response = await readOwned(mount, `/api/events/history${query}`)
    expect(response.status).toBe(200)
    return (await response.json()) as { entries: WireHistoryEntry[]; next: string | null }
  }
  const entries = async () => (await page()).entries
  const board = async () => {
    const { published, scheduled } = await mount.store.load()
    return { published, scheduled: scheduled.toSorted((a, b) => a.order - b.order) }
  }

  it('contract R8: has a row for every change, with the previous announcement and who made the change', async () => {
    const named = { 'Placard-Actor': 'J%C3%B6rg (shop)', 'Placard-Via': 'cli' }
    await publish(mount, DRAFT, named)
    await publish(mount, { ...DRAFT, text: 'Another' })
    await publish(mount, { ...DRAFT, text: 'Later', startsAt: inHours(1), expiresAt: inHours(2) })
    await mount.placard.withdraw({ type: 'post' })
    const [withdrawn, scheduled, replaced, published] = await entries()
    expect(published).toMatchObject({
      action: 'published',
      at: String(mount.clock.now()),
      by: { via: 'cli', name: 'Jörg (shop)' },
      before: null,
      after: DRAFT,
    })
    expect(replaced).toMatchObject({
      action: 'replaced',
      by: { via: 'api' },
      before: published?.after,
      after: { text: 'Another' },
    })
    expect(scheduled).toMatchObject({ action: 'scheduled', before: null })
    expect(scheduled?.after).toMatchObject({ text: 'Later', startsAt: inHours(1) })
    expect(scheduled?.after).not.toHaveProperty('timestamp')
    const { after: before } = replaced ?? {}
    expect(withdrawn).toMatchObject({
      ...{ action: 'withdrawn', by: { via: 'code' } },
      ...{ before, after: null },
    })
  })

  it("contract R8: has one row for a start and one for an end, with the time that was set and the announcement's author", async () => {
    const [startsAt, expiresAt] = [inHours(1), inHours(2)]
    const later = { ...DRAFT, text: 'Later', startsAt, expiresAt }
    await publish(mount)
    await publish(mount, later, { 'Placard-Actor': 'Ada' })
    mount.clock.advance(3 * HOUR)
    await Promise.all([1, 2, 3].map(() => withdraw(mount, { id: 'none' })))
    const [ended, started, ...others] = await entries()
    expect(others).toHaveLength(2)
    expect(started).toMatchObject({
      action: 'started',
      at: startsAt,
      by: { via: 'api', name: 'Ada' },
      before: { text: DRAFT.text },
      after: { text: 'Later', timestamp: startsAt },
    })
    expect(ended).toMatchObject({ action: 'ended', at: expiresAt, before: started?.after })
    expect((await board()).published).toEqual([])
  })

  it("contract R8: has the notification's id in a coupon's row and, if the notification was ignored, the reason", async () => {
    const up = coupon('created', { name: 'Black Friday', coupon: 'BF' })
    const ignored = coupon('updated', { featured: false, name: 'N'.repeat(150) })
    await notify(mount, up)
    for (let repeat = 0; repeat < 3; repeat++) await notify(mount, ignored)
    await notify(mount, { ...up, id: 'evt_other', type: 'customer.created' })
    await notify(mount, coupon('updated', { coupon: 'BF', valid: false }))
    const [down, nothing, published, ...others] = await entries()
    expect(others).toEqual([])
    expect(published).toMatchObject({
      action: 'published',
      by: { via: 'stripe', notification: up.id },
      after: { text: 'Black Friday' },
    })
    const { id: notification, type: event } = ignored
    expect(nothing).toMatchObject({
      action: 'ignored',
      by: {
        ...{ via: 'stripe', notification, event, coupon: ignored.data.object.id },
        couponName: 'N'.repeat(100),
      },
      before: null,
      after: null,
      reason: 'not_featured',
    })
    expect(down).toMatchObject({ action: 'withdrawn', reason: 'coupon_not_valid' })
    await notify(mount, coupon('deleted', { coupon: 'BF' }))
    // Nothing was published that the deletion could have taken down.
    expect(await entries()).toHaveLength(3)
    await notify(mount, { ...coupon('created'), id: null })
    expect((await entries())[0]?.by).toEqual({ via: 'stripe' })
  })

  it('contract R8: an invalid name in Placard-Actor gets 400, and no name is recorded without the right bearer token', async () => {
    for (const name of ['%0A', '%E2%80%AEevil', 'x'.repeat(65), ' ', '%E2%80%8C', 'J\u00f6rg']) {
      expect((await publish(mount, DRAFT, { 'Placard-Actor': name })).status, name).toBe(400)
    }
    const unauthorized = { 'Placard-Actor': 'Mallory', Authorization: 'Bearer wrong' }
    expect((await publish(mount, DRAFT, unauthorized)).status).toBe(401)
    expect(await entries()).toEqual([])
  })

  it('contract R8: is returned in pages, newest first, with each entry once, even during writes', async () => {
    for (let i = 0; i < 12; i++) await publish(mount, { ...DRAFT, text: `before ${i}` })
    const known = (await entries()).map(({ id, after }) => `${id} ${after?.text}`)
    expect(known.map((line) => line.split(' ').at(-1))).toEqual(
      Array.from({ length: 12 }, (_, i) => `${11 - i}`),
    )
    const found: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const [part]: [Awaited<ReturnType<typeof page>>, Response] = await Promise.all([
        page(`?limit=5${next && `&before=${next}`}`),
        publish(mount, { ...DRAFT, text: `meanwhile ${next}` }),
      ])
      found.push(...part.entries.map(({ id, after }) => `${id} ${after?.text}`))
      next = part.next
    }
    expect(new Set(found).size).toBe(found.length)
    expect(found.filter((line) => known.includes(line))).toEqual(known)
    for (const query of ['?limit=0', '?limit=201', '?limit=x', '?before=x', '?other=1']) {
      expect((await readOwned(mount, `/api/events/history${query}`)).status, query).toBe(400)
    }
  })

  it('contract R8: deletes a row for its age only if the newest 100 rows are more than 400 days newer', async () => {
    await publish(mount)
    mount.clock.advance(401 * 24 * HOUR)
    for (let later = 0; later < 99; later++) await publish(mount)
    expect((await page('?limit=200')).entries).toHaveLength(100)
    for (let later = 0; later < 100; later++) await publish(mount)
    const { entries } = await page('?limit=200')
    expect(entries).toHaveLength(199)
    expect(entries.at(-1)).toMatchObject({ action: 'replaced' })
  })

  type Change = (id: { post: string; first: string }) => Promise<unknown>
  /** Changes to a board with a post, a newer coupon and two scheduled posts, each with the action of its undo. */
  const CHANGES: [string, string, Change][] = [
    ['a publication', 'withdrawn', () => publish(mount, { ...DRAFT, type: 'product' })],
    ['a replacement', 'replaced', () => publish(mount, { ...DRAFT, text: 'A mistake' })],
    ['a withdrawal', 'published', () => withdraw(mount, { type: 'coupon' })],
    ['an edit', 'edited', ({ post }) => put(mount, post, { ...DRAFT, text: 'A mistake' })],
    [
      'scheduling',
      'withdrawn',
      () => publish(mount, { ...DRAFT, type: 'product', startsAt: inHours(1) }),
    ],
    ['a withdrawal from the schedule', 'scheduled', ({ first }) => withdraw(mount, { id: first })],
    [
      'an edit of a scheduled announcement',
      'edited',
      ({ first }) =>
        put(mount, first, { ...DRAFT, type: 'product', text: 'Other', startsAt: inHours(3) }),
    ],
  ]

  it.each(CHANGES)(
    'contract R8, R9: undoing %s adds a “%s” row and restores the previous state, and undoing the undo reverses that',
    async (_, action, change) => {
      const post = idOf(await publish(mount))
      await notify(mount, coupon('created', { name: 'Black Friday' }))
      const first = idOf(await publish(mount, { ...DRAFT, startsAt: inHours(1) }))
      await publish(mount, { ...DRAFT, text: 'Second', startsAt: inHours(1) })
      const before = await board()
      await change({ post, first })
      const after = await board()
      expect(after).not.toEqual(before)
      const answer = await undo(mount, undefined, { 'Placard-Actor': 'Ada' })
      expect(answer.status).toBe(200)
      // Ids, timestamps and places in the order are restored too.
      expect(await board()).toEqual(before)
      const [undone] = await entries()
      expect(undone?.action).toBe(action)
      expect(undone?.by).toMatchObject({ via: 'api', name: 'Ada', undoing: expect.any(String) })
      expect((await answer.json()).entry).toBe(undone?.id)
      expect((await undo(mount, undone?.id)).status).toBe(200)
      expect(await board()).toEqual(after)
    },
  )

  it.each([
    ['returns to the schedule', 0, 0],
    ['is removed if its start has passed', 1, 0],
    ['is removed if the schedule is full', 0, 20],
  ])(
    'contract R9: when its early publication is undone, a scheduled announcement %s',
    async (_, hours, others) => {
      const id = idOf(await publish(mount, { ...DRAFT, startsAt: inHours(1) }))
      const before = await board()
      expect((await put(mount, id, { ...DRAFT, type: 'coupon' })).status).toBe(200)
      const [published] = await entries()
      for (let count = 0; count < others; count++) {
        await publish(mount, { ...DRAFT, startsAt: inHours(1 + count) })
      }
      const { scheduled } = await board()
      mount.clock.advance(hours * HOUR)
      expect((await undo(mount, published?.id)).status).toBe(200)
      if (hours + others > 0) return expect(await board()).toEqual({ published: [], scheduled })
      expect(await board()).toEqual(before)
      const [newest, , , edited] = await entries()
      expect(newest).toMatchObject({ action: 'scheduled', by: { undoing: edited?.id } })
      expect((await undo(mount, newest?.id)).status).toBe(200)
    },
  )

  it('contract R9: undoing a start restores the replaced announcement and schedules nothing', async () => {
    await publish(mount)
    const before = await board()
    await publish(mount, { ...DRAFT, text: 'Later', startsAt: inHours(1) })
    mount.clock.advance(HOUR)
    expect(await current(mount)).toMatchObject({ text: 'Later' })
    expect((await undo(mount)).status).toBe(200)
    expect(await board()).toEqual(before)
    expect(await current(mount)).toMatchObject({ text: DRAFT.text })
  })

  it('contract R9: an undo never leaves two announcements with the same id, one of which could never start', async () => {
    const id = idOf(await publish(mount, { ...DRAFT, startsAt: inHours(1) }))
    expect((await put(mount, id, { ...DRAFT, type: 'coupon' })).status).toBe(200)
    const [published, scheduled] = await entries()
    expect((await undo(mount, scheduled?.id)).status).toBe(409)
    // Once the event is gone, the scheduled announcement can be restored. After that, the event can't.
    await withdraw(mount, { id })
    const [withdrawn] = await entries()
    expect((await undo(mount, scheduled?.id)).status).toBe(200)
    expect((await undo(mount, withdrawn?.id)).status).toBe(409)
    expect((await undo(mount, published?.id)).status).toBe(409)
    mount.clock.advance(HOUR)
    expect((await publish(mount, { ...DRAFT, type: 'product' })).status).toBe(201)
    expect((await board()).published).toMatchObject([{ type: 'product' }, { type: 'post', id }])
  })

  it("contract R9, W6: an undo doesn't restore a coupon that has become invalid, even if an older notification arrived later", async () => {
    const A = { coupon: 'A', name: 'Coupon A' }
    const seconds = Math.floor(mount.now() / 1_000)
    // The last notification to arrive was created before the one that made the coupon invalid.
    for (const notification of [
      coupon('created', A, seconds - 20),
      coupon('updated', { ...A, valid: false }, seconds),
      coupon('created', { coupon: 'B', name: 'Coupon B' }, seconds - 15),
      coupon('updated', A, seconds - 10),
    ]) {
      await notify(mount, notification)
      mount.clock.advance(1_000)
    }
    expect(await current(mount)).toBeNull()
    const down = (await entries()).findLast(({ action }) => action === 'withdrawn')
    expect(down?.undo).toBe('coupon_not_valid')
    const refused = { status: 409, reason: 'coupon_not_valid' }
    expect(await answerOf(undo(mount, down?.id))).toMatchObject(refused)
  })

  it('contract R8, R9: an impossible undo gets 409 with the reason that the history gives', async () => {
    await notify(mount, coupon('created', { name: 'Black Friday', coupon: 'BF' }))
    await notify(mount, coupon('updated', { coupon: 'BF', valid: false }))
    await publish(mount, { ...DRAFT, type: 'coupon' })
    await publish(mount, { ...DRAFT, expiresAt: inHours(1) })
    await publish(mount, { ...DRAFT, text: 'Another' })
    const later = { ...DRAFT, startsAt: inHours(2), slugs: { de: '/de' } }
    const edited = { ...later, slugs: { de: '/de/aktion' } }
    await put(mount, idOf(await publish(mount, later)), edited)
    await withdraw(mount, { id: idOf(await publish(mount, { ...DRAFT, startsAt: inHours(1) })) })
    await notify(mount, coupon('updated', { featured: false }))
    mount.clock.advance(HOUR)
    const before = await board()
    const all = await entries()
    const reasons: unknown[] = []
    for (const { id, undo: told } of all.filter((entry) => entry.undo !== 'possible')) {
      expect(await answerOf(undo(mount, id))).toMatchObject({ status: 409, reason: told })
      reasons.push(told)
    }
    const since = 'changed_since'
    expect(reasons).toEqual(['not_undoable', 'ended', since, since, 'ended', since, since, since])
    expect(await board()).toEqual(before)
    expect((await undo(mount, '999')).status).toBe(404)
    expect((await undo(mount, 'x')).status).toBe(400)
  })

  it('contract R9: repeating an undo without an id undoes neither the undo nor an earlier change', async () => {
    await publish(mount)
    await publish(mount, { ...DRAFT, type: 'coupon' }, { 'Placard-Actor': '"undoing":' })
    expect((await undo(mount)).status).toBe(200)
    const left = await board()
    expect(left.published).toMatchObject([{ type: 'post' }])
    for (let repeat = 0; repeat < 2; repeat++) {
      const error = expect.stringContaining('already undone')
      expect(await answerOf(undo(mount))).toMatchObject({ status: 409, error })
      expect(await board()).toEqual(left)
    }
  })
})

onEachStore('contract A14, W7: the caches are purged', (stage) => {
  const purge = vi.fn()
  let failing = false
  const onChange = async () => {
    purge()
    if (failing) throw new Error('no cache')
  }
  beforeEach(() => {
    purge.mockReset()
    failing = false
  })

  /** A node with a cache, and a post that starts in an hour. The node's timers run only during `clock.pass`. */
  async function scheduled(clock: TimedClock, parts: object = {}) {
    const node = makePlacard(await stage.place.open(), { onChange }, clock)
    afterTest(() => node.close())
    await publish(node, { ...DRAFT, startsAt: clock.now() + HOUR, ...parts })
    expect(purge).toHaveBeenCalledTimes(1)
    return node
  }

  it('contract R8: once for a start and once for an end, which are stored without any request', async () => {
    const clock = timedClock()
    const node = await scheduled(clock, { expiresAt: clock.now() + 2 * HOUR })
    for (const [turn, action] of ['started', 'ended'].entries()) {
      await clock.pass(HOUR + 6_000)
      expect(purge).toHaveBeenCalledTimes(turn + 2)
      expect((await historyOf(node))[0]?.action).toBe(action)
    }
  })

  it('for a start that an ignored notification stored', async () => {
    const clock = timedClock()
    const node = await scheduled(clock)
    clock.advance(HOUR)
    for (let repeat = 0; repeat < 2; repeat++) {
      expect((await notify(node, coupon('updated', { featured: false }))).status).toBe(200)
      expect(purge).toHaveBeenCalledTimes(2)
    }
  })

  it('immediately for a start, even if the clock steps back while the start is stored', async () => {
    const base = timedClock()
    let back = 0
    const node = await scheduled({ ...base, now: () => base.now() - back++ })
    base.advance(HOUR + 1_000)
    expect((await tick(node)).status).toBe(200)
    expect(purge).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['with the right clock', 0],
    ['whose clock was ahead', 10],
  ])(
    'within seconds by another node if a node %s dies after storing a start',
    async (_, minutes) => {
      const clock = timedClock()
      await publish(stage, { ...DRAFT, startsAt: clock.now() + HOUR })
      await clock.pass(HOUR)
      const other = makePlacard(await stage.place.open(), { onChange }, clock)
      await stage.store.recordTransitions(clock.now() + minutes * 60_000)
      for (const [ms, times] of [
        [4_900, 0],
        [8_000, 1],
        [120_000, 1],
      ] as const) {
        await clock.pass(ms)
        expect(purge).toHaveBeenCalledTimes(times)
      }
      await other.close()
    },
  )

  it('contract R9: again when an undo whose purge failed is repeated', async () => {
    const node = await scheduled(timedClock(), { startsAt: undefined })
    failing = true
    expect(await answerOf(undo(node))).toMatchObject(STORED_ONLY)
    failing = false
    expect((await undo(node)).status).toBe(409)
    expect(purge).toHaveBeenCalledTimes(3)
    expect(await current(node)).toBeNull()
  })

  it('contract R9: when an undo stores a due start and undoes it; if that purge fails, the undo gets 503 but is stored', async () => {
    const clock = timedClock()
    const node = await scheduled(clock)
    failing = true
    clock.advance(HOUR)
    expect(await answerOf(undo(node))).toMatchObject(STORED_ONLY)
    expect(await current(node)).toBeNull()
  })
})

const STORED_ONLY = { status: 503, error: expect.stringContaining('is stored') }
