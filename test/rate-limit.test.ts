import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import { memoryLimiter } from '../src/store/limiter.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { current, makePlacard, manualClock, publish } from './harness.ts'
import { rateLimitSuite } from './suites/rate-limit.ts'

const WINDOW_MS = 10_000

rateLimitSuite('placard.fetch', async () => makePlacard(sqliteStore(':memory:')))

/** Arrivals in bursts, evenly, and right at the edges of the window. */
const gap = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 1_500 }) },
  { weight: 2, arbitrary: fc.double({ min: 0, max: 1_500, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 999, 1_000, 9_999, 10_000, 10_001, 20_000) },
)
const arrivals = fc.array(gap, { minLength: 11, maxLength: 120 })

describe('the window', () => {
  it('contract A1, spec 8: no 10 s span ever admits an eleventh, and none is refused without ten', () => {
    let refused = 0
    fc.assert(
      fc.property(arrivals, (gaps) => {
        const clock = manualClock()
        const { count } = memoryLimiter(clock.monotonic)
        const admitted: number[] = []
        for (const ms of gaps) {
          clock.advance(ms)
          const now = clock.monotonic()
          const inWindow = admitted.filter((time) => time > now - WINDOW_MS).length
          const decision = count('a') as { admitted: boolean; remaining: number }
          expect(decision.admitted).toBe(inWindow < 10)
          expect(decision.remaining).toBe(Math.max(0, 10 - inWindow - 1))
          if (decision.admitted) admitted.push(now)
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

  it('contract A1: the wait that is named suffices, every time, and is never longer than 10 s', async () => {
    let waits = 0
    await fc.assert(
      fc.asyncProperty(arrivals, async (gaps) => {
        const mount = makePlacard(sqliteStore(':memory:'))
        const send = () => publish(mount, '', { 'X-Forwarded-For': '192.0.2.1' })
        for (const ms of gaps.slice(0, 30)) {
          mount.clock.advance(ms)
          const response = await send()
          if (response.status !== 429) continue
          const { retryAfter } = await response.json()
          expect(retryAfter).toBeLessThanOrEqual(10)
          mount.clock.advance(retryAfter * 1_000)
          expect((await send()).status).toBe(400)
          waits++
        }
        await mount.close()
      }),
      { numRuns: 150 },
    )
    expect(waits).toBeGreaterThanOrEqual(100)
  })

  it('contract A1: the wait that is named is no longer than it must be, in whole seconds', async () => {
    const mount = makePlacard(sqliteStore(':memory:'))
    const send = () => publish(mount, '', { 'X-Forwarded-For': '192.0.2.1' })
    // One now, the other nine 3 s later: the first place is free after 10 s, the next after 13.
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
      const refused = await send()
      expect(refused.status).toBe(429)
      expect(await refused.json()).toMatchObject({ retryAfter: wait })
    }
    mount.clock.advance(1)
    expect((await send()).headers.get('ratelimit')).toBe('"write";r=0;t=3')
  })

  it('contract A1: a step of the operator’s clock neither opens nor closes the window', async () => {
    const mount = makePlacard(sqliteStore(':memory:'))
    const send = () => publish(mount, '', { 'X-Forwarded-For': '192.0.2.1' })
    for (let round = 0; round < 10; round++) await send()
    for (const step of [86_400_000, -86_400_000]) {
      mount.clock.set(mount.clock.now() + step)
      expect((await send()).status).toBe(429)
    }
    mount.clock.advance(WINDOW_MS)
    expect((await send()).status).toBe(400)
  })
})

it('contract A3: when it cannot count, a write answers 503 and is not let through', async () => {
  const store = sqliteStore(':memory:')
  const failing = {
    count: async () => {
      throw new StoreUnavailable(new Error('cut'))
    },
  }
  const mount = makePlacard({ ...store, limiter: () => failing })
  for (let round = 0; round < 12; round++) expect((await publish(mount)).status).toBe(503)
  expect(await current(mount)).toBeNull()
})
