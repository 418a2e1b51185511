import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  collectedLog,
  coupon,
  current,
  type DirectMount,
  DRAFT,
  inMemory,
  notify,
  publish,
  told,
} from './harness.ts'
import { soon } from './soon.ts'

const throws = () => {
  throw new Error('of the host')
}
/** Ways in which a host's callback may fail. */
const FAILURES: [string, () => unknown][] = [
  ['throws', throws],
  [
    "throws something that isn't an error",
    () => {
      throw 'of the host'
    },
  ],
  ['returns a promise that rejects', async () => throws()],
]

let mount: DirectMount
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  mount = inMemory()
  await current(mount)
})
afterEach(() => {
  vi.useRealTimers()
  return mount.close()
})

const reports = () => mount.log.lines.filter(({ level }) => level !== 'info')
/** Opens a page's stream, and returns what the page receives. */
const sound = () => {
  const got: string[] = []
  const write = (chunk: Uint8Array) => void got.push(new TextDecoder().decode(chunk))
  mount.placard.streams.open({ write, waiting: () => 0, close() {} })
  return got
}

it.each(FAILURES)(
  'a subscriber that %s is reported each time, and affects no write, other subscriber or page',
  async (_, fail) => {
    mount.placard.subscribe(fail as () => void)
    const heard = told(mount)
    const written = sound()
    const texts = ['The first of three', 'The second of three', 'The third of three']
    for (const text of texts) {
      expect((await publish(mount, { ...DRAFT, text })).status).toBe(201)
      expect(await current(mount)).toMatchObject({ text })
    }
    expect(heard).toEqual(texts)
    for (const text of texts) expect(written.join()).toContain(text)
    expect(reports()).toHaveLength(texts.length)
    expect(JSON.stringify(reports())).toContain('of the host')
  },
)

it('contract A9: if a subscriber already sees the state after an end, no other subscriber gets an older state later', async () => {
  const { placard, clock } = mount
  placard.subscribe(() => {
    clock.advance(1_000)
    void placard.snapshot()
  })
  const heard = told(mount)
  await publish(mount, { ...DRAFT, text: 'over at once', expiresAt: clock.now() + 500 })
  expect(heard).toEqual([undefined])
})

describe.each(FAILURES)('an open page whose connection %s', (_, fail) => {
  const dropped = () => mount.log.lines.filter(({ message }) => message.startsWith('dropped'))

  it('contract R4: is dropped and reported once when a change is sent, and all other pages get that change and the next', async () => {
    const { streams } = mount.placard
    let failing = false
    const close = vi.fn()
    const write = () => (failing ? fail() : undefined)
    streams.open({ write, waiting: () => 0, close })
    // More than are notified in one turn of the event loop.
    const pages = Array.from({ length: 350 }, sound)
    failing = true
    for (const text of ['The first of two', 'The second of two']) {
      expect((await publish(mount, { ...DRAFT, text })).status).toBe(201)
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      expect(pages.every((got) => got.at(-1)?.includes(text))).toBe(true)
    }
    expect(streams.size).toBe(350)
    expect(close).toHaveBeenCalledTimes(1)
    expect(dropped()).toHaveLength(1)
  })

  it.each([
    ['close', fail],
    ['waiting', throws],
  ])('contract R4: is the only one dropped if its %s() fails', async (what, failing) => {
    const { streams } = mount.placard
    const before = sound()
    // Too many bytes are waiting when all streams are checked.
    streams.open({ write() {}, waiting: () => 2 * 1024 * 1024, close() {}, [what]: failing })
    const after = sound()
    vi.advanceTimersByTime(15_000)
    await new Promise(setImmediate)
    expect(streams.size).toBe(2)
    for (const got of [before, after]) expect(got.at(-1)).toContain('event: alive')
    expect(dropped()).toHaveLength(1)
  })

  it("contract R4: doesn't keep the service from closing", async () => {
    const close = vi.fn()
    for (const one of [fail as () => void, close]) {
      mount.placard.streams.open({ write() {}, waiting: () => 0, close: one })
    }
    await mount.close()
    expect(close).toHaveBeenCalledTimes(1)
  })
})

it.each(FAILURES)(
  'contract A16, T5: an icon lookup that %s stops neither a write nor a notification',
  async (_, fail) => {
    mount = inMemory({ knowsIcon: fail as () => boolean })
    const response = await publish(mount, { ...DRAFT, icon: 'newspaper' })
    expect([response.status, response.headers.has('placard-warning')]).toEqual([201, false])
    const metadata = { isFeatured: 'true', placard_icon: 'newspaper' }
    const answer = await notify(mount, coupon('created', { name: 'A coupon', metadata }))
    expect(await answer.json()).toEqual({ received: true, outcome: 'published' })
    expect(await current(mount)).toMatchObject({ text: 'A coupon', icon: 'newspaper' })
    for (const { fields } of reports()) expect(JSON.stringify(fields)).toContain('of the host')
    expect(reports()).toHaveLength(2)
  },
)

describe('an invalidation hook that never returns', () => {
  let purges = 0
  let hangs = false
  beforeEach(() => {
    purges = 0
    hangs = false
    const onChange = () => {
      purges++
      return hangs ? new Promise<void>(() => {}) : Promise.resolve()
    }
    mount = inMemory({ onChange })
  })

  /** Waits in real time; each check advances the fake timers a little. */
  const purged = (times: number) => soon(() => expect(purges).toBe(times))

  it('contract W7: makes a write return 503 after 10 s, and runs again when the write is repeated', async () => {
    hangs = true
    const writing = publish(mount)
    await purged(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await writing).status).toBe(503)
    hangs = false
    expect((await publish(mount)).status).toBe(201)
    expect(purges).toBe(2)
  })

  it("contract A14, W7: runs again for an announcement's start, even if nothing else happens", async () => {
    const { clock } = mount
    await publish(mount, { ...DRAFT, startsAt: clock.now() + 1_000 })
    hangs = true
    clock.advance(1_000)
    await current(mount)
    await purged(2)
    hangs = false
    clock.advance(20_000)
    await vi.advanceTimersByTimeAsync(16_000)
    await purged(3)
  })
})

it.each(FAILURES)('a logger that %s affects no response', async (_, fail) => {
  const log = { ...collectedLog(), info: fail, warn: fail, error: fail }
  mount = inMemory({ log } as object)
  mount.placard.subscribe(throws)
  expect((await publish(mount)).status).toBe(201)
  expect(await current(mount)).toMatchObject(DRAFT)
  expect((await publish(mount, '')).status).toBe(400)
})
