import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../src/store/sqlite.ts'
import {
  collectedLog,
  coupon,
  current,
  type DirectMount,
  DRAFT,
  makePlacard,
  notify,
  publish,
} from './harness.ts'

/** Ways in which what a host gives may fail. */
const FAILURES: [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('of the host')
    },
  ],
  [
    'throws what is no error',
    () => {
      throw 'of the host'
    },
  ],
  ['returns a promise that rejects', () => Promise.reject(new Error('of the host'))],
]

let mount: DirectMount
afterEach(() => mount.close())

describe.each(FAILURES)('a subscriber that %s', (_, fail) => {
  beforeEach(async () => {
    mount = makePlacard(sqliteStore(':memory:'))
    await current(mount)
  })

  it('is reported each time; writes are stored and answered 201; the others and the open pages hear of them', async () => {
    const heard: (string | undefined)[] = []
    const written: string[] = []
    mount.placard.subscribe(fail as () => void)
    mount.placard.subscribe(({ event }) => heard.push(event?.text))
    mount.placard.streams.open({
      write: (chunk) => written.push(new TextDecoder().decode(chunk)),
      waiting: () => 0,
      close() {},
    })
    const texts = ['The first of three', 'The second of three', 'The third of three']
    for (const text of texts) {
      expect((await publish(mount, { ...DRAFT, text })).status).toBe(201)
      expect(await current(mount)).toMatchObject({ text })
    }
    expect(heard).toEqual(texts)
    for (const text of texts) expect(written.join()).toContain(text)
    const reports = mount.log.lines.filter(({ level }) => level !== 'info')
    expect(reports).toHaveLength(texts.length)
    expect(JSON.stringify(reports)).toContain('of the host')
  })
})

describe('subscribers', () => {
  beforeEach(async () => {
    mount = makePlacard(sqliteStore(':memory:'))
    await current(mount)
  })

  it('contract A9: when a subscriber reads past an end, nobody gets an older state after a newer one', async () => {
    const { placard, clock } = mount
    const heard: (string | undefined)[] = []
    placard.subscribe(() => {
      clock.advance(1_000)
      void placard.snapshot()
    })
    placard.subscribe(({ event }) => heard.push(event?.text))
    await publish(mount, { ...DRAFT, text: 'over at once', expiresAt: clock.now() + 500 })
    expect(heard).toEqual([undefined])
  })
})

describe.each(FAILURES)('an open page whose sink %s', (_, fail) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    mount = makePlacard(sqliteStore(':memory:'))
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const sound = () => {
    const got: string[] = []
    const write = (chunk: Uint8Array) => void got.push(new TextDecoder().decode(chunk))
    mount.placard.streams.open({ write, waiting: () => 0, close() {} })
    return got
  }
  const reports = () => mount.log.lines.filter(({ message }) => message.startsWith('dropped'))

  it('contract R4: is dropped and reported once; all others hear of this change and of the next', async () => {
    const { streams } = mount.placard
    await current(mount)
    let failing = false
    const close = vi.fn()
    const write = () => (failing ? fail() : undefined)
    streams.open({ write, waiting: () => 0, close })
    // More than are notified in one turn of the event loop.
    const pages = Array.from({ length: 250 }, sound)
    failing = true
    for (const text of ['The first of two', 'The second of two']) {
      expect((await publish(mount, { ...DRAFT, text })).status).toBe(201)
      await vi.waitFor(() => {
        expect(pages.every((got) => got.at(-1)?.includes(text))).toBe(true)
      })
    }
    expect(streams.size).toBe(250)
    expect(close).toHaveBeenCalledTimes(1)
    expect(reports()).toHaveLength(1)
  })

  it.each([
    ['write', fail],
    ['close', fail],
    [
      'waiting',
      () => {
        throw new Error('of the host')
      },
    ],
  ])('contract R4: is dropped alone when %s fails', async (what, failing) => {
    const { streams } = mount.placard
    await current(mount)
    const before = sound()
    // It has too much waiting when all are checked.
    streams.open({ write() {}, waiting: () => 2 * 1024 * 1024, close() {}, [what]: failing })
    const after = sound()
    vi.advanceTimersByTime(15_000)
    await new Promise(setImmediate)
    expect(streams.size).toBe(2)
    for (const got of [before, after]) expect(got.at(-1)).toContain('event: alive')
    expect(reports()).toHaveLength(1)
  })

  it('contract R4: does not keep the service from closing', async () => {
    const { streams } = mount.placard
    const close = vi.fn()
    streams.open({ write() {}, waiting: () => 0, close: fail as () => void })
    streams.open({ write() {}, waiting: () => 0, close })
    await mount.close()
    expect(close).toHaveBeenCalledTimes(1)
  })
})

describe.each(FAILURES)('a look-up of icons that %s', (_, fail) => {
  beforeEach(() => {
    mount = makePlacard(sqliteStore(':memory:'), { knowsIcon: fail as () => boolean })
  })
  afterEach(() => {
    const warned = mount.log.lines.filter(({ level }) => level === 'warn')
    expect(warned.map(({ fields }) => JSON.stringify(fields))).toEqual([
      expect.stringContaining('of the host'),
    ])
  })

  it('contract A16, T5: leaves a notification applied, and answered so', async () => {
    const metadata = { isFeatured: 'true', placard_icon: 'newspaper' }
    const response = await notify(mount, coupon('created', { name: 'A coupon', metadata }))
    expect(await response.json()).toEqual({ received: true, outcome: 'published' })
    expect(await current(mount)).toMatchObject({ text: 'A coupon', icon: 'newspaper' })
  })
})

describe('an invalidation hook that never answers', () => {
  let purges = 0
  let hangs = true
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    purges = 0
    hangs = true
    const onChange = () => {
      purges++
      return hangs ? new Promise<void>(() => {}) : Promise.resolve()
    }
    mount = makePlacard(sqliteStore(':memory:'), { onChange })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Waits in real time; each look lets a little of the other time pass. */
  const purged = (times: number) =>
    vi.waitFor(() => expect(purges).toBe(times), { interval: 20, timeout: 8_000 })

  it('contract W7: has a write answered 503 after 10 s, and a repeat runs it again', async () => {
    const writing = publish(mount)
    await purged(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await writing).status).toBe(503)
    hangs = false
    expect((await publish(mount)).status).toBe(201)
    expect(purges).toBe(2)
  })

  it('contract A14, W7: is run again for a start, though nothing else happens', async () => {
    hangs = false
    const { clock } = mount
    await publish(mount, { ...DRAFT, startsAt: clock.now() + 1_000 })
    hangs = true
    clock.advance(1_000)
    await current(mount)
    await purged(2)
    hangs = false
    clock.advance(20_000)
    await vi.advanceTimersByTimeAsync(10_000)
    await vi.advanceTimersByTimeAsync(6_000)
    await purged(3)
  })
})

it.each(FAILURES)('a log that %s harms nobody', async (_, fail) => {
  const log = {
    ...collectedLog(),
    info: fail,
    warn: fail,
    error: fail,
  } as unknown as typeof mount.log
  mount = makePlacard(sqliteStore(':memory:'), { log } as object)
  mount.placard.subscribe(() => {
    throw new Error('to be logged')
  })
  expect((await publish(mount)).status).toBe(201)
  expect(await current(mount)).toMatchObject(DRAFT)
  expect((await publish(mount, '')).status).toBe(400)
})
