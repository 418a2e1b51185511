import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silent } from '../src/core/log.ts'
import { createStreams, type Sink } from '../src/http/stream.ts'
import { wantedIn } from '../src/http/stream-route.ts'
import { createSite } from '../src/page/create-site.ts'
import { loadLocales } from '../src/page/locales.ts'
import type { Showing } from '../src/showing/showing.ts'
import type { Snapshot } from '../src/showing/snapshot.ts'
import { answerOf, DRAFT, inMemory, publish } from './harness.ts'
import { follow } from './suites/stream.ts'

afterEach(() => {
  vi.useRealTimers()
})

/**
 * Opens a stream of a host that writes to the connections itself, and returns what it has written.
 *
 * @param then called with each message
 */
function opened(
  { placard }: ReturnType<typeof inMemory>,
  query: string,
  then: (message: string) => void = () => {},
): string[] {
  const got: string[] = []
  const write = (chunk: Uint8Array) => {
    const message = new TextDecoder().decode(chunk)
    got.push(message)
    return then(message)
  }
  const close = () => void got.push('closed')
  placard.streams.open({ write, waiting: () => 0, close }, '', wantedIn(query))
  return got
}
const dataOf = (message = '') => JSON.parse(/data: (.*)/.exec(message)?.[1] ?? '')

describe('the stream', () => {
  it('contract R4: when an announcement ends, sends the newest of the others on time', async () => {
    const mount = inMemory()
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'Stays up' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await publish(mount, { ...DRAFT, expiresAt: String(mount.clock.now() + 86_400_000 * 40) })
    const stream = await follow(mount)
    expect((await stream.next()).body.event?.text).toBe(DRAFT.text)
    // No timer can be set that far ahead: 2^31 ms is 24.8 days.
    mount.clock.advance(86_400_000 * 39)
    await vi.advanceTimersByTimeAsync(1_000)
    mount.clock.advance(86_400_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect((await stream.next()).body.event?.text).toBe('Stays up')
    await stream.stop()
  })

  it('contract R4: returns 503 over the cap, until a client has left', async () => {
    const mount = inMemory({ maxStreams: 2 })
    // A HEAD request opens no stream, so it doesn't count.
    await mount.fetch('/api/events/stream', { method: 'HEAD' })
    const [one, two] = [await follow(mount), await follow(mount)]
    const refused = await answerOf(mount.fetch('/api/events/stream'))
    expect(refused).toEqual({ status: 503, error: expect.any(String) })
    expect(mount.placard.streams.size).toBe(2)
    await one.stop()
    const three = await follow(mount)
    expect(three.response.status).toBe(200)
    await Promise.all([two.stop(), three.stop()])
    expect(mount.placard.streams.size).toBe(0)
  })
})

it('contract R4, A15: the stream carries the bar in each of a dozen languages', async () => {
  const tags = 'ar cs da de es fi fr he it ja nl pl'.split(' ')
  const translations = Object.fromEntries(tags.map((tag) => [tag, `In ${tag}`]))
  const mount = inMemory({ site: createSite(await loadLocales()) })
  await publish(mount, { ...DRAFT, translations })
  const { body } = await mount.fetch(`/api/events/stream?bar=${tags.join()}`)
  let received = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += chunk
    if (received.split('\n\n').length > tags.length) break
  }
  for (const tag of tags) expect(received).toContain(`"In ${tag}"`)
})

it('contract R4: each change reaches every page as its own kind of bar, in its language, and a page that has the bar gets only its id at first', async () => {
  const mount = inMemory({ site: createSite(await loadLocales()) })
  const say = async (text: string, german: string) =>
    publish(mount, { ...DRAFT, text, translations: { de: german } })
  await say('One', 'Eins')
  const queries = ['bar=de', 'bar=de', 'bar=en', 'page=de', 'page=en']
  const pages = queries.map((query) => opened(mount, query))
  const { id } = dataOf(pages[0]?.[0])
  const returning = opened(mount, `bar=de&has=${id}`)
  expect(returning.map(dataOf)).toEqual([{ id }])
  const between = { text: 'Between', translations: { de: 'Dazwischen' }, type: 'product' } as const
  await publish(mount, { ...DRAFT, ...between })
  await mount.placard.withdraw({ type: 'product' })
  await say('Two', 'Zwei')
  await say('Three', 'Drei')
  await expect.poll(() => pages.map((got) => got.length)).toEqual([5, 5, 5, 5, 5])
  const texts: Record<string, string[]> = {
    de: ['Eins', 'Dazwischen', 'Eins', 'Zwei', 'Drei'],
    en: ['One', 'Between', 'One', 'Two', 'Three'],
  }
  for (const [at, got] of pages.entries()) {
    const lang = queries[at]?.slice(-2) ?? ''
    for (const [turn, message] of got.entries()) {
      expect(message).toContain(`"${texts[lang]?.[turn]}"`)
    }
  }
  const [embed, , , page] = pages
  for (const [turn, message] of embed?.entries() ?? []) {
    expect(dataOf(message).id).not.toBe(dataOf(page?.[turn]).id)
  }
  expect(returning.slice(1)).toEqual(embed?.slice(1))
})

it('contract R4: a bar that fails drops only its own page, and not the service', async () => {
  const site = createSite(await loadLocales())
  const bars: typeof site.bars = (kind, snapshot) => {
    if (snapshot.event?.text === 'Broken' && kind === 'embed') throw new Error('no such language')
    return site.bars(kind, snapshot)
  }
  const mount = inMemory({ site: { ...site, bars } })
  await publish(mount, DRAFT)
  const [broken, sound, plain] = ['bar=de', 'page=de', ''].map((query) => opened(mount, query))
  const dropped = () => mount.log.lines.filter(({ message }) => message.startsWith('dropped'))
  for (const turn of [1, 2]) {
    await publish(mount, { ...DRAFT, text: 'Broken', slug: `/${turn}` })
    expect(broken?.at(-1)).toBe('closed')
    for (let count = 0; count < 3; count++) expect(opened(mount, 'bar=de')).toEqual(['closed'])
    for (const got of [sound, plain]) expect(got?.at(-1)).toContain('Broken')
    expect(mount.placard.streams.size).toBe(2)
    // The cause is logged once for each change.
    expect(dropped()).toHaveLength(turn)
  }
})

it('contract R4: a page that opens while a change is sent gets that change once', async () => {
  const mount = inMemory({ site: createSite(await loadLocales()) })
  await publish(mount, DRAFT)
  let late: string[] = []
  opened(mount, 'bar=de', (message) => {
    if (message.includes('Two') && late.length === 0) late = opened(mount, 'bar=de')
  })
  const last = opened(mount, 'bar=de')
  await publish(mount, { ...DRAFT, text: 'Two' })
  await expect.poll(() => last.length).toBe(2)
  expect(late).toHaveLength(1)
})

it('contract R4: a page that cannot be sent its bar in two languages is dropped and reported once', async () => {
  const mount = inMemory({ site: createSite(await loadLocales()) })
  await publish(mount, { ...DRAFT, translations: { de: 'Eins' } })
  const got = opened(mount, 'bar=de,en', () => Promise.reject(new Error('gone')))
  const dropped = () => mount.log.lines.filter(({ message }) => message.startsWith('dropped'))
  await expect.poll(() => mount.placard.streams.size).toBe(0)
  await new Promise(setImmediate)
  expect(got.filter((message) => message === 'closed')).toHaveLength(1)
  expect(dropped()).toHaveLength(1)
})

it('contract R4: a page in Haisla, whose tag is has, gets its bar although another page got only the id', async () => {
  const mount = inMemory({ site: createSite(await loadLocales()) })
  await publish(mount, { ...DRAFT, translations: { has: 'Haisla' } })
  const { id } = await (await mount.fetch('/embed.json')).json()
  expect(opened(mount, `bar=has&has=${id}`).map(dataOf)).toEqual([{ id }])
  expect(opened(mount, 'bar=has').join()).toContain('"Haisla"')
})

it('contract R4: a query of more than 1,000 characters is ignored, so no stream keeps it in memory', async () => {
  expect(wantedIn(`bar=${'de,'.repeat(100)}`)?.languages).toHaveLength(20)
  const mount = inMemory({ site: createSite(await loadLocales()) })
  await publish(mount, DRAFT)
  for (const [length, field] of [
    [1_000, '"lang":"de"'],
    [1_001, '"event":'],
  ] as const) {
    const query = 'bar=de&'.padEnd(length, 'x')
    expect(opened(mount, query).join()).toContain(field)
    const { body } = await mount.fetch(`/api/events/stream?${query}`)
    const reader = body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(field)
    await reader?.cancel()
  }
})

describe('when the service closes', () => {
  it('contract R4: a client that has read everything sees its stream end, and one that has stopped reading sees it fail', async () => {
    const mount = inMemory()
    const alive = (await mount.fetch('/api/events/stream')).body?.getReader()
    expect((await alive?.read())?.done).toBe(false)
    const stopped = (await mount.fetch('/api/events/stream')).body?.getReader()
    await mount.close()
    expect(await alive?.read()).toMatchObject({ done: true })
    await expect(stopped?.read()).rejects.toThrow('stopped')
  })

  it('contract R4: if the host provides a way to close the connection, the service uses it, and no stream fails', async () => {
    const mount = inMemory()
    const hangUp = vi.fn()
    const request = new Request('http://placard.test/api/events/stream')
    const stopped = (await mount.placard.fetch(request, { hangUp })).body?.getReader()
    await mount.close()
    expect(hangUp).toHaveBeenCalledTimes(1)
    expect(await stopped?.read()).toMatchObject({ done: false })
  })
})

/** Streams over a state and a clock that the test changes. */
function open() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let now = 0
  let notify: (snapshot: Snapshot) => void = () => {}
  const streams = createStreams({
    showing: {
      subscribe(listener) {
        notify = listener
        return () => {}
      },
    } as Showing,
    maxStreams: 10_000,
    monotonic: () => now,
    log: silent,
  })
  const pass = (ms: number) => {
    for (let at = 0; at < ms; at += 1_000) {
      now += 1_000
      vi.advanceTimersByTime(1_000)
    }
  }
  // In the service, too, the same state is the same object.
  const states = new Map<string, Snapshot>()
  const change = (text: string) => {
    const body = new TextEncoder().encode(text)
    const state = states.get(text) ?? { event: null, body, etag: `"${text}"`, stale: false }
    states.set(text, state)
    notify(state)
  }
  return { streams, pass, change }
}

function reader(waiting = () => 0) {
  const got: string[] = []
  let closed = false
  const sink: Sink = {
    write: (chunk) => got.push(new TextDecoder().decode(chunk)),
    waiting,
    close: () => {
      closed = true
    },
  }
  return { sink, got, closed: () => closed }
}

describe('open streams', () => {
  it('contract R4: send an `alive` event every 15 s', () => {
    const { streams, pass } = open()
    const { sink, got } = reader()
    streams.open(sink)
    pass(14_000)
    expect(got).toEqual([])
    pass(1_000)
    expect(got).toEqual(['event: alive\ndata: 1\n\n'])
    pass(45_000)
    expect(got).toHaveLength(4)
    streams.close()
  })

  it.each([
    ['that has stopped reading is dropped within 30 s', () => 1, 20_000, 10_000],
    ['with more than 1 MiB waiting is dropped at the next check', () => 2 ** 20 + 1, 0, 5_000],
  ])('contract R4: a reader %s', (_, waiting, before, after) => {
    const { streams, pass } = open()
    const [dropped, alive] = [reader(waiting), reader()]
    for (const { sink } of [dropped, alive]) streams.open(sink)
    pass(before)
    expect(dropped.closed()).toBe(false)
    pass(after)
    expect([dropped.closed(), alive.closed(), streams.size]).toEqual([true, false, 1])
    streams.close()
  })

  it("contract R4: a slow reader that keeps reading isn't dropped", () => {
    const { streams, pass } = open()
    let waiting = 0
    const slow = reader(() => waiting)
    streams.open(slow.sink)
    for (let i = 0; i < 12; i++) {
      waiting = i % 4 === 3 ? 0 : 1024 * 1024
      pass(5_000)
    }
    expect(slow.closed()).toBe(false)
    streams.close()
  })

  it('notify 300 pages in a turn of the event loop, so reads are handled in between', async () => {
    const { streams, change } = open()
    const readers = Array.from({ length: 700 }, () => reader())
    for (const { sink } of readers) streams.open(sink)
    change('one')
    for (const count of [300, 600, 700]) {
      expect(readers.filter(({ got }) => got.length > 0)).toHaveLength(count)
      await new Promise(setImmediate)
    }
    streams.close()
  })
})

describe('open streams, in any interleaving', () => {
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.constant('a new state') },
    { weight: 1, arbitrary: fc.constant('back to the state before') },
    { weight: 2, arbitrary: fc.constant('a page opens') },
    { weight: 1, arbitrary: fc.constant('a page leaves') },
    { weight: 3, arbitrary: fc.constant('a turn passes') },
  )

  it('contract R4: send a page the state at its opening, then later states in order, and always the last one', async () => {
    const play = async (steps: string[]) => {
      const { streams, change } = open()
      const history: string[] = []
      const pages: { got: string[]; since: number; leave: () => void }[] = []
      const openPage = () => {
        const { sink, got } = reader()
        pages.push({ got, since: Math.max(0, history.length - 1), leave: streams.open(sink) })
      }
      const become = (state: string) => {
        history.push(state)
        change(state)
      }
      // Notifying so many takes two turns of the event loop.
      for (let page = 0; page < 350; page++) openPage()
      for (const what of ['a new state', ...steps]) {
        if (what === 'a new state') become(`state ${history.length}`)
        else if (what === 'back to the state before') become(history.at(-2) ?? 'state 0')
        else if (what === 'a page opens') openPage()
        else if (what === 'a page leaves') pages.splice(pages.length >> 1, 1)[0]?.leave()
        else await new Promise(setImmediate)
      }
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
      for (const { got, since } of pages) {
        let at = since - 1
        for (const message of got) {
          const state = /data: (.*)/.exec(message)?.[1] as string
          at = history.indexOf(state, at + 1)
          if (at < 0) expect(got, history.join()).toEqual('in the order of the states')
        }
        expect(got.at(-1)).toContain(`data: ${history.at(-1)}\n`)
      }
      streams.close()
    }
    const steps = fc.array(step, { maxLength: 30, size: 'max' })
    await fc.assert(fc.asyncProperty(steps, play), { numRuns: 200 })
  })
})
