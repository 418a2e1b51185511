import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Problem } from '../src/core/problem.ts'
import type { PlacardOptions } from '../src/placard-options.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store, WatchListener } from '../src/store/store.ts'
import { current, type DirectMount, DRAFT as draft, makePlacard, publish, told } from './harness.ts'
import { asCode, STORED } from './stores.ts'

const DRAFT = { ...draft, type: 'post' as const }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
const nodes: DirectMount[] = []
afterEach(async () => {
  for (const mount of nodes.splice(0)) await mount.close()
  // A spy on a timer would outlast the fake timers of the test.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Lets pending work proceed as far as it can. */
async function settle() {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
}

/** A node on a real store. The test decides what the node hears, and withholds the store's responses. */
function makeNode(options?: Partial<PlacardOptions>) {
  const store = sqliteStore(':memory:')
  const answers: { give(): void; lose(): void }[] = []
  let ears: WatchListener | undefined
  const held: Store = {
    ...store,
    async load() {
      const stored = await store.load()
      return new Promise((resolve, reject) => {
        answers.push({
          give: () => resolve(stored),
          lose: () => reject(Problem.unavailable('The database is unavailable')),
        })
      })
    },
    watch(listener) {
      ears = listener
    },
  }
  const mount = makePlacard(held, options)
  nodes.push(mount)
  return {
    mount,
    answers,
    /** Commits a write as another node would. */
    write: (version: number) => store.publish({ ...STORED, text: `version ${version}` }, asCode(0)),
    hears: (yes: boolean) => ears?.hearing(yes),
    word: () => ears?.changed(),
    async pass(ms: number) {
      mount.clock.advance(ms)
      vi.advanceTimersByTime(ms)
      await settle()
    },
    /** Releases the store's responses, even those to the latest queries. */
    async give() {
      await settle()
      for (const answer of answers.splice(0)) answer.give()
      await settle()
    },
  }
}

const versionOf = (text: string | undefined) => Number(/\d+/.exec(text ?? '0')?.[0])

/** A node that hears the others and has version 1. */
async function start(options?: Partial<PlacardOptions>) {
  const node = makeNode(options)
  await node.write(1)
  node.hears(true)
  await node.give()
  expect(await current(node.mount)).toMatchObject({ text: 'version 1' })
  return node
}

it("contract R13: while a node knows of an unread change or can't hear the others, no cache may keep its responses", async () => {
  const node = await start({ sharedMaxAge: 60 })
  const lifetime = async () => {
    const { headers } = await node.mount.fetch('/api/events')
    expect(headers.get('placard-stale')).toBeNull()
    return headers.get('cdn-cache-control')
  }
  expect(await lifetime()).toBe('max-age=60')
  node.word()
  await settle()
  expect(await lifetime()).toBeNull()
  await node.give()
  expect(await lifetime()).toBe('max-age=60')
  node.hears(false)
  const reading = lifetime()
  await node.give()
  expect(await reading).toBeNull()
})

it("contract R4: subscribers get a change that couldn't be read at first, even if no request comes", async () => {
  const node = await start()
  const heard = told(node.mount)
  await node.write(2)
  node.word()
  await settle()
  node.answers.shift()?.lose()
  await settle()
  await node.pass(1_000)
  await node.give()
  expect(heard).toEqual(['version 2'])
  const said = node.mount.log.lines.map(({ message }) => message)
  expect(said).toEqual([expect.stringContaining('last known'), 'reading the database again'])
})

describe('a failing database', () => {
  const answerOf = async (reading: Response | Promise<Response>) => {
    const response = await reading
    return [(await response.json()).event.text, response.headers.get('placard-stale')]
  }
  const get = (node: Awaited<ReturnType<typeof start>>) => node.mount.fetch('/api/events')

  it('contract R3: a write that was stored but not read back gets 503, and the next read shows it', async () => {
    const node = await start()
    const writing = publish(node.mount, { ...DRAFT, text: 'version 2' })
    while (node.answers.length === 0) await settle()
    node.answers.shift()?.lose()
    await settle()
    await node.pass(20)
    expect((await writing).status).toBe(503)
    const reading = get(node)
    await node.give()
    expect(await answerOf(reading)).toEqual(['version 2', null])
  })

  it('contract R3: delays the first read by 2 s and later reads by 0.1 s; the log reports its failure and its recovery once each', async () => {
    const node = await start()
    node.hears(false)
    for (const patience of [2_000, 100, 100]) {
      let answered = false
      const reading = get(node).finally(() => {
        answered = true
      })
      await node.pass(patience - 1)
      expect(answered).toBe(false)
      await node.pass(1)
      expect(await answerOf(reading)).toEqual(['version 1', '1'])
    }
    for (let round = 0; round < 3; round++) await node.give()
    const reading = get(node)
    await node.give()
    expect(await answerOf(reading)).toEqual(['version 1', null])
    const said = node.mount.log.lines.map(({ message }) => message)
    expect(said.filter((message) => /last known|again/.test(message))).toEqual([
      'could not read the database; serving the last known announcement, if any',
      'reading the database again',
    ])
  })

  it('contract R3: a read that times out gets the state in memory, not marked as stale if it has become current', async () => {
    const node = await start()
    await node.write(2)
    node.word()
    await node.pass(900)
    const reading = get(node)
    await node.give()
    // This read's query is still in flight, but the state that it needs is in memory.
    expect(node.answers).toHaveLength(1)
    await node.pass(2_000)
    expect(await answerOf(reading)).toEqual(['version 2', null])
    expect(node.mount.log.lines).toEqual([])
  })

  it('contract R3: the last known announcement still ends on time, and readers and subscribers learn that the state is stale', async () => {
    const node = await start()
    const { placard, clock } = node.mount
    const writing = placard.publish({ ...DRAFT, type: 'coupon', expiresAt: clock.now() + 5_000 })
    await node.give()
    await writing
    node.hears(false)
    const reading = get(node)
    await node.pass(2_000)
    expect(await answerOf(reading)).toEqual([DRAFT.text, '1'])
    const heard: boolean[] = []
    placard.subscribe(({ stale }) => heard.push(stale))
    await node.pass(3_000)
    expect(heard).toEqual([true])
    const after = get(node)
    await node.pass(100)
    expect(await answerOf(after)).toEqual(['version 1', '1'])
    expect((await node.mount.fetch('/healthz')).status).toBe(200)
  })

  it('is queried at most once in 20 ms, however many reads there are', async () => {
    const node = await start()
    node.hears(false)
    const first = get(node)
    await settle()
    node.answers.shift()?.lose()
    await settle()
    const others = Promise.all(Array.from({ length: 50 }, () => get(node)))
    await node.pass(19)
    expect(node.answers).toHaveLength(0)
    await node.pass(1)
    expect(node.answers).toHaveLength(1)
    await node.give()
    expect((await others).map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(await answerOf(first)).toEqual(['version 1', '1'])
  })
})

describe('a node that hears the others', () => {
  it('queries nothing while nothing changes, and keeps its snapshot until the announcement changes', async () => {
    const node = await start()
    const snapshot = await node.mount.placard.snapshot()
    await node.pass(10_000)
    expect(node.answers).toHaveLength(0)
    node.word()
    await node.give()
    expect(await node.mount.placard.snapshot()).toBe(snapshot)
  })

  it('contract A9: has one timer, which wakes it once a second until the next end', async () => {
    const node = await start()
    const { placard, clock } = node.mount
    const others = vi.getTimerCount()
    const writing = placard.publish({ ...DRAFT, expiresAt: clock.now() + 3_600_000 })
    await node.give()
    await writing
    for (let round = 0; round < 3; round++) {
      node.word()
      await node.give()
      await node.pass(1_000)
    }
    expect(vi.getTimerCount()).toBe(others + 1)
    const planned = vi.spyOn(globalThis, 'setTimeout')
    await node.pass(5_000)
    expect(planned.mock.calls.length).toBeGreaterThanOrEqual(5)
    expect(planned.mock.calls.length).toBeLessThanOrEqual(7)
    node.word()
    await settle()
    await node.mount.close()
    await node.give()
    await node.pass(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('notifies no subscriber that has unsubscribed, even during a notification', async () => {
    const node = await start()
    const heard: string[] = []
    const leave = ['one', 'another'].map((name) =>
      node.mount.placard.subscribe(({ event }) => {
        heard.push(`${name}: ${event?.text}`)
        for (const it of leave) it()
      }),
    )
    for (const version of [2, 3]) {
      await node.write(version)
      node.word()
      await node.give()
    }
    expect(heard).toEqual(['one: version 2'])
  })

  it('notifies nobody once it is closed, even if a query is in flight', async () => {
    const node = await start()
    const heard = told(node.mount)
    await node.write(2)
    node.word()
    await settle()
    await node.mount.close()
    await node.give()
    expect(heard).toEqual([])
  })
})

describe('in any interleaving of writes, reads and messages', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('write elsewhere', 'write here', 'word') },
    { weight: 6, arbitrary: fc.constantFrom('read', 'answer') },
    { weight: 1, arbitrary: fc.constantFrom('lose an answer', 'hear', 'hear no more') },
    { weight: 3, arbitrary: fc.constantFrom(100, 500, 1_000) },
  )

  it('contract R3, R4: no unmarked response is stale, and no subscriber gets an older state after a newer one', async () => {
    const seen = { unmarked: 0, marked: 0 }
    const play = async (hears: boolean, steps: (string | number)[]) => {
      const node = makeNode()
      const { placard, clock } = node.mount
      const heard: number[] = []
      placard.subscribe(({ event }) => heard.push(versionOf(event?.text)))
      const pending = new Set<Promise<void>>()
      const words: { version: number; at: number }[] = []
      let hearing = false
      let committed = 0
      let answered = 0

      const under = (work: Promise<void>) => {
        const over = work.catch(() => {}).then(() => void pending.delete(over))
        pending.add(over)
      }
      /** The oldest version that a read starting now may return without being marked as stale. */
      const required = () =>
        Math.max(
          answered,
          hearing ? 0 : committed,
          ...words.filter(({ at }) => at <= clock.now() - 1_000).map(({ version }) => version),
        )
      const failures: string[] = []
      const read = async () => {
        const least = required()
        const { event, stale } = await placard.snapshot()
        seen[stale ? 'marked' : 'unmarked']++
        if (!stale && versionOf(event?.text) < least) failures.push(`${event?.text} < ${least}`)
      }
      const writeHere = async () => {
        const version = ++committed
        await placard.publish({ text: `version ${version}`, type: 'post', slug: '/' })
        answered = Math.max(answered, version)
      }
      const hear = (yes: boolean) => {
        hearing = yes
        // From now on, reads must show everything written before.
        if (yes) words.push({ version: committed, at: Number.NEGATIVE_INFINITY })
        node.hears(yes)
      }

      hear(hears)
      for (const what of steps) {
        if (typeof what === 'number') await node.pass(what)
        else if (what === 'write elsewhere') await node.write(++committed)
        else if (what === 'write here') under(writeHere())
        else if (what === 'read') under(read())
        else if (what === 'answer') node.answers.shift()?.give()
        else if (what === 'lose an answer') node.answers.shift()?.lose()
        else if (what === 'word') {
          words.push({ version: committed, at: clock.now() })
          node.word()
        } else hear(what === 'hear')
        await settle()
      }
      hear(true)
      for (let round = 0; round < 20 || pending.size > 0; round++) {
        await node.give()
        await node.pass(100)
      }
      under(read())
      await settle()
      expect(pending.size, 'memory serves when all is well').toBe(0)
      expect(failures).toEqual([])
      expect((await placard.snapshot()).stale).toBe(false)
      expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b))
      expect(heard.at(-1)).toBe(committed)
      await node.mount.close()
    }
    const steps = fc.array(step, { maxLength: 50, size: 'max' })
    await fc.assert(fc.asyncProperty(fc.boolean(), steps, play), { numRuns: 300 })
    expect(seen.marked).toBeGreaterThan(20)
    expect(seen.unmarked).toBeGreaterThan(500)
  })
})
