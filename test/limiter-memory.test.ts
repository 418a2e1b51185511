import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Problem } from '../src/core/problem.ts'
import { memoryLimiter, WINDOW_MS } from '../src/store/limiter.ts'
import { manualClock } from './harness.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('the memory of the limiter', { timeout: 60_000 }, () => {
  it('contract A3: 300,000 addresses take less than 50 MB, at once and over time', () => {
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
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

  it('contract A3: addresses that use their whole allowance are bounded too', () => {
    collect()
    const before = process.memoryUsage().heapUsed
    const limiter = memoryLimiter(manualClock().monotonic)
    for (let index = 0; index < 100_000; index++) {
      for (let time = 0; time < 12; time++) limiter.count(String(index))
    }
    collect()
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(50)
    expect(() => limiter.count('one more')).toThrow(Problem)
    expect(limiter.count('0')).toMatchObject({ admitted: false })
  })

  it('contract A3: an address that comes again is remembered once', () => {
    const clock = manualClock()
    const limiter = memoryLimiter(clock.monotonic)
    let admitted = 0
    for (const later of [0, WINDOW_MS]) {
      clock.advance(later)
      for (let index = 0; index < 60_000; index++) {
        if (limiter.count(String(index)).admitted) admitted++
      }
    }
    expect(admitted).toBe(120_000)
    // There is room for as many others as if each had come once.
    for (let index = 60_000; index < 100_000; index++) limiter.count(String(index))
    expect(() => limiter.count('one more')).toThrow(Problem)
  })

  it('contract A3: addresses of the window before count too', () => {
    const clock = manualClock()
    const limiter = memoryLimiter(clock.monotonic)
    for (let index = 0; index < 60_000; index++) limiter.count(`before ${index}`)
    clock.advance(WINDOW_MS)
    for (let index = 0; index < 40_000; index++) limiter.count(`now ${index}`)
    expect(() => limiter.count('one more')).toThrow(Problem)
  })
})

it('contract R7: a look at where an address stands counts nothing, in this window or the next', () => {
  const clock = manualClock()
  const limiter = memoryLimiter(clock.monotonic)
  for (let look = 0; look < 20; look++) {
    expect(limiter.peek('192.0.2.1')).toMatchObject({ admitted: true, remaining: 9 })
  }
  clock.advance(WINDOW_MS - 1)
  for (let time = 0; time < 10; time++) limiter.count('192.0.2.1')
  const full = { admitted: false, remaining: 0, resetMs: WINDOW_MS }
  expect(limiter.peek('192.0.2.1')).toEqual(full)
  clock.advance(1)
  limiter.count('192.0.2.2')
  expect(limiter.peek('192.0.2.1')).toEqual({ ...full, resetMs: WINDOW_MS - 1 })
  expect(limiter.peek('192.0.2.2')).toMatchObject({ admitted: true, remaining: 8 })
})
