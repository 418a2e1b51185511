import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WireHistoryEntry } from '../src/core/history.ts'
import type { Store } from '../src/store/store.ts'
import { documented } from './documented.ts'
import {
  coupon,
  current,
  type DirectMount,
  DRAFT,
  type Extra,
  makePlacard,
  manualClock,
  nextAddress,
  notify,
  publish,
  timedClock,
  withdraw,
  write,
} from './harness.ts'
import { STORES } from './stores.ts'

const HOUR = 3_600_000

for (const kind of STORES) {
  describe(`the history, ${kind.name}`, () => {
    let mount: DirectMount
    let store: Store
    beforeEach(async () => {
      store = await (await kind.place()).open()
      mount = documented(makePlacard(store))
    })
    afterEach(() => mount.close())

    const bearer = () => ({ Authorization: `Bearer ${mount.apiSecret}` })
    const inHours = (hours: number) => String(mount.clock.now() + hours * HOUR)
    const page = async (query = '') => {
      const response = await mount.fetch(`/api/events/history${query}`, { headers: bearer() })
      expect(response.status).toBe(200)
      return (await response.json()) as { entries: WireHistoryEntry[]; next: string | null }
    }
    const entries = async () => (await page()).entries
    const undo = (id?: string, extra: Extra = {}) =>
      mount.fetch('/api/events/undo', {
        method: 'POST',
        headers: {
          ...bearer(),
          'Content-Type': 'application/json',
          'X-Forwarded-For': nextAddress(),
          ...extra,
        } as Record<string, string>,
        body: JSON.stringify(id === undefined ? {} : { id }),
      })
    const put = (id: string | null, body: unknown) =>
      write(mount, 'PUT', body, {}, `/api/events/${id}`)
    const board = async () => {
      const { events, scheduled } = await store.load()
      return { events, scheduled }
    }

    it('contract R8: has a row for every change, with what was there and who did it', async () => {
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
      expect(withdrawn).toMatchObject({
        action: 'withdrawn',
        by: { via: 'code' },
        before: replaced?.after,
        after: null,
      })
    })

    it('contract R8: a start and an end are rows at their own instant, once, by who asked for them', async () => {
      const [startsAt, expiresAt] = [inHours(1), inHours(2)]
      await publish(mount, DRAFT)
      await publish(
        mount,
        { ...DRAFT, text: 'Later', startsAt, expiresAt },
        { 'Placard-Actor': 'Ada' },
      )
      mount.clock.advance(3 * HOUR)
      await Promise.all([
        withdraw(mount, { id: 'none' }),
        withdraw(mount, { id: 'none' }),
        withdraw(mount, { id: 'none' }),
      ])
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
      expect((await board()).events).toEqual([])
    })

    it('contract R8, A14: a start and an end are stored without any write, and the caches are purged once', async () => {
      const place = await kind.place()
      const purge = vi.fn()
      const node = makePlacard(await place.open(), { onChange: purge }, mount.clock)
      await publish(node, { ...DRAFT, startsAt: inHours(1), expiresAt: inHours(2) })
      expect(purge).toHaveBeenCalledTimes(1)
      for (const [turn, action] of ['started', 'ended'].entries()) {
        mount.clock.advance(HOUR)
        await current(node)
        await vi.waitFor(() => expect(purge).toHaveBeenCalledTimes(turn + 2), { interval: 5 })
        const response = await node.fetch('/api/events/history', { headers: bearer() })
        expect((await response.json()).entries[0].action).toBe(action)
      }
      await node.close()
    })

    it('contract A14, W7: the caches are purged for a start though nobody reads or listens', async () => {
      const place = await kind.place()
      const purge = vi.fn()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
      const node = makePlacard(await place.open(), { onChange: purge }, mount.clock)
      await publish(node, { ...DRAFT, startsAt: inHours(1) })
      // Everything that is still under way ends, and so does the first check after the start.
      await vi.advanceTimersByTimeAsync(60_000)
      expect(purge).toHaveBeenCalledTimes(1)
      mount.clock.advance(HOUR)
      // Each check is planned once the answer to the one before is there, which takes time of its own.
      await vi.waitFor(
        async () => {
          await vi.advanceTimersByTimeAsync(1_000)
          expect(purge).toHaveBeenCalledTimes(2)
        },
        { interval: 5, timeout: 10_000 },
      )
      vi.useRealTimers()
      await node.close()
    })

    it('contract A14, W7: the caches are purged for a start that an ignored notification stored', async () => {
      const place = await kind.place()
      const purge = vi.fn()
      const node = makePlacard(await place.open(), { onChange: purge }, mount.clock)
      await publish(node, { ...DRAFT, startsAt: inHours(1) })
      mount.clock.advance(HOUR)
      expect((await notify(node, coupon('updated', { featured: false }))).status).toBe(200)
      expect(purge).toHaveBeenCalledTimes(2)
      expect((await notify(node, coupon('updated', { featured: false }))).status).toBe(200)
      expect(purge).toHaveBeenCalledTimes(2)
      await node.close()
    })

    it('contract A14, W7: the caches are purged for a start at once, even if the clock steps back as it is stored', async () => {
      const place = await kind.place()
      const [purge, base] = [vi.fn(), manualClock()]
      let back = 0
      const clock = { ...base, now: () => base.now() - back++ }
      const node = makePlacard(await place.open(), { onChange: purge }, clock)
      await publish(node, { ...DRAFT, startsAt: base.now() + HOUR })
      expect(purge).toHaveBeenCalledTimes(1)
      base.advance(HOUR + 1_000)
      expect((await write(node, 'POST', undefined, {}, '/api/events/tick')).status).toBe(200)
      expect(purge).toHaveBeenCalledTimes(2)
      await node.close()
    })

    it('contract A14: of nodes that notice a start at the same time, one stores it', async () => {
      const place = await kind.place()
      const nodes = [await place.open(), await place.open()]
      const node = makePlacard(nodes[0] as Store, {}, mount.clock)
      await publish(node, { ...DRAFT, startsAt: inHours(1) })
      const noticed = nodes.flatMap((node) =>
        [1, 2].map(() => node.recordTransitions(Number(inHours(2)))),
      )
      expect((await Promise.all(noticed)).filter((stored) => stored)).toHaveLength(1)
      await node.close()
      await nodes[1]?.close()
    })

    it('contract A14, W7: what another node has just stored is left to that node to purge', async () => {
      const place = await kind.place()
      const [first, second] = [await place.open(), await place.open()]
      const node = makePlacard(first, {}, mount.clock)
      await publish(node, { ...DRAFT, startsAt: inHours(1) })
      const at = Number(inHours(1))
      await first.recordTransitions(at)
      const due = await second.unpurged()
      expect(due).toHaveLength(1)
      await second.markPurged(due)
      expect(await first.unpurged()).toEqual([])
      await Promise.all([node.close(), second.close()])
    })

    it.each([
      ['with the right clock', 0],
      ['whose clock was ahead', 10],
    ])(
      'contract R8, A14, W7: if a node %s dies after it stored a start, another purges within seconds',
      async (_, minutes) => {
        const place = await kind.place()
        const [first, purge, clock] = [await place.open(), vi.fn(), timedClock()]
        const node = makePlacard(first, {}, mount.clock)
        await publish(node, { ...DRAFT, startsAt: clock.now() + HOUR })
        await clock.pass(HOUR)
        const other = makePlacard(await place.open(), { onChange: purge }, clock)
        await first.recordTransitions(clock.now() + minutes * 60_000)
        await node.close()
        await clock.pass(4_900)
        expect(purge).not.toHaveBeenCalled()
        await clock.pass(8_000)
        expect(purge).toHaveBeenCalledTimes(1)
        await clock.pass(120_000)
        expect(purge).toHaveBeenCalledTimes(1)
        await other.close()
      },
    )

    it('contract R8: coupons have the id of the notification, and ignored ones the reason', async () => {
      const up = coupon('created', { name: 'Black Friday', coupon: 'BF' })
      const ignored = coupon('updated', { featured: false })
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
      expect(nothing).toMatchObject({
        action: 'ignored',
        by: {
          via: 'stripe',
          notification: ignored.id,
          event: ignored.type,
          coupon: ignored.data.object.id,
        },
        before: null,
        after: null,
        reason: 'not_featured',
      })
      const reason = 'coupon_not_valid'
      expect(down).toMatchObject({ action: 'withdrawn', reason })
      await notify(mount, { ...coupon('created'), id: null })
      expect((await entries())[0]?.by).toEqual({ via: 'stripe' })
    })

    it('contract R8: a name that can not be printed is refused, and believed only with the bearer', async () => {
      for (const name of ['%0A', '%E2%80%AEevil', 'x'.repeat(65), ' ', '%E2%80%8C']) {
        expect((await publish(mount, DRAFT, { 'Placard-Actor': name })).status, name).toBe(400)
      }
      const unauthorized = { 'Placard-Actor': 'Mallory', Authorization: 'Bearer wrong' }
      expect((await publish(mount, DRAFT, unauthorized)).status).toBe(401)
      expect(await entries()).toEqual([])
    })

    it('contract R8: pages, newest first, to the end and no further', async () => {
      for (let round = 0; round < 7; round++) {
        await publish(mount, { ...DRAFT, text: `round ${round}` })
      }
      const texts: unknown[] = []
      let next: string | null = ''
      while (next !== null) {
        const found: Awaited<ReturnType<typeof page>> = await page(
          `?limit=3${next && `&before=${next}`}`,
        )
        texts.push(...found.entries.map(({ after }) => after?.text))
        next = found.next
      }
      expect(texts).toEqual([6, 5, 4, 3, 2, 1, 0].map((round) => `round ${round}`))
      for (const query of ['?limit=0', '?limit=201', '?limit=x', '?before=x', '?other=1']) {
        const response = await mount.fetch(`/api/events/history${query}`, { headers: bearer() })
        expect(response.status, query).toBe(400)
      }
    })

    it('contract R8: pages tell each entry once, even if others write meanwhile', async () => {
      for (let i = 0; i < 12; i++) await publish(mount, { ...DRAFT, text: `before ${i}` })
      const known = (await entries()).map(({ id }) => id)
      const found: string[] = []
      let next: string | null = ''
      while (next !== null) {
        const [part]: [Awaited<ReturnType<typeof page>>, Response] = await Promise.all([
          page(`?limit=5${next && `&before=${next}`}`),
          publish(mount, { ...DRAFT, text: `meanwhile ${next}` }),
        ])
        found.push(...part.entries.map(({ id }) => id))
        next = part.next
      }
      expect(new Set(found).size).toBe(found.length)
      expect(found.filter((id) => known.includes(id))).toEqual(known)
    })

    it('contract R8: keeps 400 days', async () => {
      await publish(mount)
      mount.clock.advance(401 * 24 * HOUR)
      for (let later = 0; later < 99; later++) await publish(mount)
      expect((await page('?limit=200')).entries).toHaveLength(100)
      for (let later = 0; later < 100; later++) await publish(mount)
      const { entries } = await page('?limit=200')
      expect(entries).toHaveLength(199)
      expect(entries.at(-1)).toMatchObject({ action: 'replaced' })
    })

    it('contract R9: undoing a publication brings back what was there, with its id and timestamp', async () => {
      const older = await publish(mount)
      const newest = await publish(mount, { ...DRAFT, type: 'coupon', text: 'The newest' })
      const before = await board()
      await publish(mount, { ...DRAFT, text: 'A mistake' })
      const answer = await undo(undefined, { 'Placard-Actor': 'Ada' })
      expect(answer.status).toBe(200)
      expect(await board()).toEqual(before)
      // The older one does not jump ahead.
      expect(await current(mount)).toMatchObject({ id: newest.headers.get('placard-event-id') })
      const [entry, mistake] = await entries()
      expect(entry).toMatchObject({
        action: 'replaced',
        by: { via: 'api', name: 'Ada', undoing: mistake?.id },
        after: { id: older.headers.get('placard-event-id') },
      })
      expect((await answer.json()).entry).toBe(entry?.id)
    })

    it('contract R9: undoing a withdrawal, and undoing that', async () => {
      await notify(mount, coupon('created', { name: 'Black Friday' }))
      const before = await board()
      await withdraw(mount, { type: 'coupon' })
      expect((await undo()).status).toBe(200)
      expect(await board()).toEqual(before)
      const [undone] = await entries()
      expect((await undo(undone?.id)).status).toBe(200)
      expect((await board()).events).toEqual([])
      expect((await entries()).map(({ action }) => action)).toEqual([
        'withdrawn',
        'published',
        'withdrawn',
        'published',
      ])
    })

    it('contract R9: undoing in the schedule', async () => {
      await publish(mount, { ...DRAFT, startsAt: inHours(1) })
      const before = await board()
      await withdraw(mount, { id: before.scheduled[0]?.id })
      expect((await undo()).status).toBe(200)
      expect(await board()).toEqual(before)
      const [, , scheduled] = await entries()
      expect((await undo(scheduled?.id)).status).toBe(200)
      expect((await board()).scheduled).toEqual([])
    })

    it('contract R9: what was put up from the schedule is back in it, unless its start has passed', async () => {
      for (const hours of [0, 1]) {
        const posted = await publish(mount, { ...DRAFT, startsAt: inHours(1) })
        const id = posted.headers.get('placard-event-id')
        const before = await board()
        expect((await put(id, { ...DRAFT, type: 'coupon', text: 'At once' })).status).toBe(200)
        mount.clock.advance(hours * HOUR)
        expect((await undo()).status).toBe(200)
        const passed = { ...before, scheduled: [] }
        expect(await board()).toEqual(hours === 0 ? before : passed)
        const [newest] = await entries()
        if (hours === 0) expect((await undo(newest?.id)).status).toBe(200)
      }
    })

    it('contract R9: 409 for what was taken out of the schedule, from its start on', async () => {
      await publish(mount, { ...DRAFT, startsAt: inHours(1) })
      await withdraw(mount, { id: (await board()).scheduled[0]?.id })
      mount.clock.advance(HOUR)
      const refused = await undo()
      expect(refused.status).toBe(409)
      expect((await refused.json()).error).toContain('has started')
      expect(await board()).toEqual({ events: [], scheduled: [] })
    })

    it('contract R9: undoing a start brings back what it replaced, and does not schedule it again', async () => {
      await publish(mount)
      const before = await board()
      await publish(mount, { ...DRAFT, text: 'Later', startsAt: inHours(1) })
      mount.clock.advance(HOUR)
      expect(await current(mount)).toMatchObject({ text: 'Later' })
      expect((await undo()).status).toBe(200)
      expect(await board()).toEqual(before)
      expect(await current(mount)).toMatchObject({ text: DRAFT.text })
    })

    it('contract R9: never makes two of one id, which no start could store', async () => {
      const first = await publish(mount, { ...DRAFT, startsAt: inHours(1) })
      const id = first.headers.get('placard-event-id')
      expect((await put(id, { ...DRAFT, type: 'coupon' })).status).toBe(200)
      const [published, scheduled] = await entries()
      expect((await undo(scheduled?.id)).status).toBe(409)
      // Once the event is gone, the scheduled one may come back. Then the event may not.
      await withdraw(mount, { id })
      const [withdrawn] = await entries()
      expect((await undo(scheduled?.id)).status).toBe(200)
      expect((await undo(withdrawn?.id)).status).toBe(409)
      expect((await undo(published?.id)).status).toBe(409)
      mount.clock.advance(HOUR)
      expect((await publish(mount, { ...DRAFT, type: 'product' })).status).toBe(201)
      expect((await board()).events).toMatchObject([{ type: 'product' }, { type: 'post', id }])
    })

    it('contract R9: 409 when any part of a scheduled one has changed since', async () => {
      const draft = { ...DRAFT, startsAt: inHours(1) }
      const id = (await publish(mount, draft)).headers.get('placard-event-id')
      const parts = [
        { icon: 'star' },
        { icon: 'rocket' },
        { expiresAt: inHours(2) },
        { translations: { de: 'Auf Deutsch' } },
        { translations: { de: 'Anders auf Deutsch' } },
      ]
      for (const part of parts) {
        const [before] = await entries()
        expect((await put(id, { ...draft, ...part })).status).toBe(200)
        expect((await undo(before?.id)).status, JSON.stringify(part)).toBe(409)
      }
    })

    it('contract R9, W6: a late publication says nothing of a coupon that was refused after it', async () => {
      const A = { coupon: 'A', name: 'Coupon A' }
      const seconds = Math.floor(mount.now() / 1_000)
      // The last to arrive is the last to be heard of, though it was created before.
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
      const refused = await undo(down?.id)
      expect([refused.status, (await refused.json()).reason]).toEqual([409, 'coupon_not_valid'])
    })

    it('contract R8, R9: an undo is refused for the reason that the history gives', async () => {
      await notify(mount, coupon('created', { name: 'Black Friday', coupon: 'BF' }))
      await notify(mount, coupon('updated', { coupon: 'BF', valid: false }))
      await publish(mount, { ...DRAFT, type: 'coupon' })
      const down = (await entries()).find(({ action }) => action === 'withdrawn')
      const refused = await undo(down?.id)
      expect([refused.status, (await refused.json()).reason]).toEqual([409, down?.undo])
      expect(down?.undo).toBe('changed_since')
    })

    it('contract R9: 409 when something else has changed there since, or what was there has ended', async () => {
      await publish(mount, { ...DRAFT, expiresAt: inHours(1) })
      await publish(mount, { ...DRAFT, text: 'Another' })
      const [replaced, published] = await entries()
      expect((await undo(published?.id)).status).toBe(409)
      mount.clock.advance(HOUR)
      const refused = await undo(replaced?.id)
      expect(refused.status).toBe(409)
      expect((await refused.json()).error).toContain('ended')
      expect(await current(mount)).toMatchObject({ text: 'Another' })
      expect((await undo('999')).status).toBe(404)
      expect((await undo('x')).status).toBe(400)
      await notify(mount, coupon('updated', { featured: false }))
      const [ignored] = await entries()
      expect((await undo(ignored?.id)).status).toBe(409)
    })

    it('contract R9: a repeat without an id undoes neither the undo nor what came before it', async () => {
      await publish(mount)
      await publish(mount, { ...DRAFT, type: 'coupon' }, { 'Placard-Actor': '"undoing":' })
      expect((await undo()).status).toBe(200)
      const left = await board()
      expect(left.events).toMatchObject([{ type: 'post' }])
      for (let repeat = 0; repeat < 2; repeat++) {
        const repeated = await undo()
        expect(repeated.status).toBe(409)
        expect((await repeated.json()).error).toContain('undone already')
        expect(await board()).toEqual(left)
      }
    })

    it('contract R9, W7: the repeat of an undo whose purge failed purges the cache', async () => {
      let purge = async () => {}
      const place = await kind.place()
      const node = makePlacard(await place.open(), { onChange: () => purge() }, mount.clock)
      await publish(node)
      purge = async () => {
        throw new Error('no cache')
      }
      const answer = await write(node, 'POST', {}, {}, '/api/events/undo')
      expect(answer.status).toBe(503)
      expect((await answer.json()).error).toContain('Stored')
      const told = vi.fn(async () => {})
      purge = told
      expect((await write(node, 'POST', {}, {}, '/api/events/undo')).status).toBe(409)
      expect(told).toHaveBeenCalledTimes(1)
      expect(await current(node)).toBeNull()
      await node.close()
    })

    it('contract R9, W7: an undo is stored while the cache can not be purged of a start before it', async () => {
      const place = await kind.place()
      const onChange = async () => {
        throw new Error('no cache')
      }
      const node = makePlacard(await place.open(), { onChange }, mount.clock)
      await publish(node, { ...DRAFT, startsAt: mount.clock.now() + HOUR })
      mount.clock.advance(HOUR)
      const answer = await write(node, 'POST', {}, {}, '/api/events/undo')
      expect(answer.status).toBe(503)
      expect((await answer.json()).error).toContain('Stored')
      expect(await current(node)).toBeNull()
      await node.close()
    })

    it('contract R9, A5: a body that is not JSON by its type is refused', async () => {
      await publish(mount)
      expect((await undo(undefined, { 'Content-Type': 'text/plain' })).status).toBe(415)
      expect((await undo(undefined, { 'Content-Encoding': 'gzip' })).status).toBe(415)
      expect(await entries()).toHaveLength(1)
    })

    it('contract R9, A1: is counted like any other write', async () => {
      const from = { 'X-Forwarded-For': nextAddress() }
      const statuses: number[] = []
      for (let count = 0; count < 11; count++) statuses.push((await undo('1', from)).status)
      expect(statuses).toEqual([...Array(10).fill(404), 429])
    })
  })
}
