import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryLimiter, WINDOW_MS } from '../src/core/limiter.ts'
import { Problem, StoreUnavailable } from '../src/core/problem.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { collectGarbage } from './gc.ts'
import { answerOf, current, inMemory, makePlacard, manualClock, publish } from './harness.ts'
import { rateLimitSuite } from './suites/api.ts'

rateLimitSuite('placard.fetch', async () => inMemory())

/** About a microsecond: a power of two, so that sums of times are exact. */
const FINEST_MS = 2 ** -10

/** The time between two requests: none, up to 1.5 s, or right at an edge of the window. */
const gap = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 1_500 }) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 0, max: 1_500 / FINEST_MS }).map((count) => count * FINEST_MS),
  },
  { weight: 1, arbitrary: fc.constantFrom(1, 999, 1_000, 9_999, 10_000, 10_001, 20_000) },
)
const arrivals = fc.array(gap, { minLength: 11, maxLength: 120 })

describe("the rate limiter's window", () => {
  it("contract A1, R7, spec 8: admits ten requests in any 10 s, gives the exact wait, and isn't used up by checking what is left", () => {
    let refused = 0
    fc.assert(
      fc.property(arrivals, (gaps) => {
        const clock = manualClock()
        const { count, peek } = memoryLimiter(clock.monotonic)
        const admitted: number[] = []
        for (const ms of gaps) {
          clock.advance(ms)
          const now = clock.monotonic()
          const times = admitted.filter((time) => time > now - WINDOW_MS)
          const left = {
            admitted: times.length < 10,
            remaining: Math.max(0, 9 - times.length),
            resetMs: WINDOW_MS - (now - (times[0] ?? now)),
          }
          for (const decide of [peek, peek, count]) expect(decide('a')).toEqual(left)
          if (left.admitted) admitted.push(now)
          else refused++
        }
        for (const [index, time] of admitted.entries()) {
          const eleventh = admitted[index + 10]
          if (eleventh !== undefined) expect(eleventh - time).toBeGreaterThanOrEqual(WINDOW_MS)
        }
      }),
      { numRuns: 500 },
    )
    expect(refused).toBeGreaterThan(1_000)
  })

  const oneClient = () => {
    const mount = inMemory()
    return { mount, send: () => publish(mount, '', { 'X-Forwarded-For': '192.0.2.1' }) }
  }

  it('contract A1: gives a wait in whole seconds that is no longer than necessary', async () => {
    const { mount, send } = oneClient()
    // One write now, the other nine 3 s later: the first slot is free after 10 s, the next after 13 s.
    await send()
    mount.clock.advance(3_000)
    for (let round = 0; round < 9; round++) await send()
    for (const [passed, wait] of [
      [0, 7],
      [1, 7],
      [1_999, 5],
      [4_999, 1],
    ] as const) {
      mount.clock.advance(passed)
      expect(await answerOf(send())).toMatchObject({ status: 429, retryAfter: wait })
    }
    mount.clock.advance(1)
    expect((await send()).headers.get('ratelimit')).toBe('"write";r=0;t=3')
  })

  it("contract A1: doesn't change when the machine's clock is set forward or back", async () => {
    const { mount, send } = oneClient()
    for (let round = 0; round < 10; round++) await send()
    for (const step of [86_400_000, -86_400_000]) {
      mount.clock.set(mount.clock.now() + step)
      expect((await send()).status).toBe(429)
    }
    mount.clock.advance(WINDOW_MS)
    expect((await send()).status).toBe(400)
  })
})

it("contract A3: a write gets 503 and isn't stored if it can't be counted", async () => {
  const store = sqliteStore(':memory:')
  const count = () => Promise.reject(new StoreUnavailable(new Error('cut')))
  const mount = makePlacard({ ...store, limiter: { count } })
  for (let round = 0; round < 12; round++) expect((await publish(mount)).status).toBe(503)
  expect(await current(mount)).toBeNull()
})

describe("the rate limiter's memory", () => {
  const heap = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  it('contract A3: stays under 50 MB for 300,000 addresses, at once or over time', () => {
    for (const pace of [0, 0.3]) {
      const clock = manualClock()
      const limiter = memoryLimiter(clock.monotonic)
      const before = heap()
      let refused = 0
      for (let index = 0; index < 300_000; index++) {
        try {
          limiter.count(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
        } catch (error) {
          if ((error as Problem).code === 'unavailable') refused++
        }
        clock.advance(pace)
      }
      expect((heap() - before) / 1e6, `pace ${pace}`).toBeLessThan(50)
      expect(refused > 0).toBe(pace === 0)
      clock.advance(2 * WINDOW_MS)
      expect(limiter.count('192.0.2.1')).toMatchObject({ admitted: true, remaining: 9 })
    }
  })

  it('contract A3: is bounded even if addresses use their whole allowance', () => {
    const before = heap()
    const limiter = memoryLimiter(manualClock().monotonic)
    for (let index = 0; index < 100_000; index++) {
      for (let time = 0; time < 12; time++) limiter.count(String(index))
    }
    expect((heap() - before) / 1e6).toBeLessThan(50)
    expect(() => limiter.count('one more')).toThrow(Problem)
    expect(limiter.count('0')).toMatchObject({ admitted: false })
  })

  it.each([
    ['has one entry for an address that returns', 60_000, ''],
    ['also includes the addresses of the previous window', 40_000, 'another '],
  ])('contract A3: %s', (_, rest, prefix) => {
    const clock = manualClock()
    const limiter = memoryLimiter(clock.monotonic)
    for (let index = 0; index < 60_000; index++) limiter.count(String(index))
    clock.advance(WINDOW_MS)
    let admitted = 0
    for (let index = 0; index < rest; index++) {
      if (limiter.count(prefix + index).admitted) admitted++
    }
    expect(admitted).toBe(rest)
    // The limiter remembers up to 100,000 addresses.
    for (let index = 60_000; index < (prefix ? 60_000 : 100_000); index++) {
      limiter.count(String(index))
    }
    expect(() => limiter.count('one more')).toThrow(Problem)
  })
})
