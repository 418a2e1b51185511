import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renewalLife, unwatchedLife, watchedLife } from '../src/next/life.ts'

/** Next.js renders output with a shorter lifetime for each request, and never caches it as part of a page. */
const DYNAMIC_S = 300
const YEAR_S = 31_536_000

/** The lifetimes of current and stale states: in the hour before a start or an end, a day before, and with none due. */
const LIVES = [...Array.from({ length: 8_000 }, (_, i) => i * 501), 86_400_000, Infinity].flatMap(
  (left) => [false, true].map((stale) => ({ left, ...unwatchedLife(left, stale) })),
)

describe('contract N4: how long Next.js caches a page', () => {
  it('Next.js accepts the lifetime at any time before the next start or end', () => {
    const accepted = LIVES.filter(
      ({ revalidate, expire }) => revalidate >= 0 && expire >= revalidate,
    )
    expect(accepted).toHaveLength(LIVES.length)
    expect(unwatchedLife(1_205_000)).toMatchObject({ revalidate: 600, expire: 600 })
    expect(unwatchedLife(1_805_000)).toMatchObject({ revalidate: 900, expire: 900 })
  })

  it('a page expires by the next start or end, however old the output that it was rendered from', () => {
    const over = LIVES.filter(({ left, revalidate, expire }) => {
      if (expire < DYNAMIC_S) return expire * 1000 <= left
      // Next.js may render a page from output that is up to `revalidate` old. Rendering may take 5 s.
      return revalidate >= 1 && (revalidate + expire + 5) * 1000 <= left
    })
    expect(over).toHaveLength(LIVES.length)
  })

  it('a page is dynamic only in the last five minutes before a start or end, and otherwise renewed at least every 15 minutes', () => {
    expect(unwatchedLife(306_000)).toMatchObject({ revalidate: 1, expire: DYNAMIC_S })
    expect(unwatchedLife(305_999).expire).toBeLessThan(DYNAMIC_S)
    expect(unwatchedLife(4_200)).toMatchObject({ revalidate: 4, expire: 4 })
    const life = unwatchedLife(Number.POSITIVE_INFINITY)
    expect(life).toMatchObject({ revalidate: 900, expire: YEAR_S - 905 })
  })

  it('a page with the last known state is renewed after a second, and expires within five minutes', () => {
    for (const left of [Number.POSITIVE_INFINITY, 400_000, 4_200]) {
      expect(unwatchedLife(left, true).revalidate).toBe(1)
      expect(unwatchedLife(left, true).expire).toBeLessThanOrEqual(DYNAMIC_S)
    }
  })

  it('a page cached without the bar is rendered again once the start or end has passed', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 10_000_000 }), (left) => {
        const { revalidate, expire } = renewalLife(left)
        expect(revalidate * 1000).toBeGreaterThan(Math.min(left, 899_000))
        expect(revalidate * 1000).toBeLessThanOrEqual(Math.max(0, left) + 1_000)
        expect(expire).toBeGreaterThanOrEqual(DYNAMIC_S)
      }),
    )
    expect(renewalLife(Number.POSITIVE_INFINITY).revalidate).toBe(900)
  })

  it('where a process stays alive, the lifetime is only a safety net, and the page is never dynamic', () => {
    expect(watchedLife(1)).toEqual({ stale: 300, revalidate: 1, expire: DYNAMIC_S })
    expect(watchedLife(Number.POSITIVE_INFINITY)).toMatchObject({ revalidate: 900 })
  })
})
