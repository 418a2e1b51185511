import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check, type Model, type Step } from './checker.ts'

/** A register that starts at 0: `w1` writes 1, `r1` reads it. */
const register: Model<number, string> = {
  initial: 0,
  apply(state, action) {
    const value = Number(action.slice(1))
    return action.startsWith('w') || value === state ? value : undefined
  },
  onlyLooks: (action) => action.startsWith('r'),
  key: String,
}

/** Steps as `w1:0-9`: what is done, from when to when. Without an end nobody knows whether it was. */
function steps(history: string): Step<string>[] {
  const timed = history.split(' ').flatMap((step) => {
    const [, action = '', start, end] = /^(\w+):(\d+)-(\d*)$/.exec(step) ?? []
    return action ? [{ action, start: Number(start), end: Number(end || Infinity) }] : []
  })
  return timed.map(({ action, start, end }) => ({
    action,
    after: [...timed.keys()].filter((place) => Number(timed[place]?.end) < start),
    certain: end !== Infinity,
  }))
}

describe('the checker of histories', () => {
  it('says how far it came, and what does not fit there', () => {
    const verdict = check(steps('w1:0-1 r1:2-3 r0:4-5 w2:4-9'), register)
    expect(verdict).toEqual({ is: 'impossible', order: [0, 1, 3], state: 2, next: [2] })
  })

  it('says that it gives up when there are too many orders', () => {
    const writes = Array.from({ length: 20 }, (_, value) => `w${value}:0-9`).join(' ')
    expect(check(steps(`${writes} r99:10-11`), register, 1_000)).toEqual({ is: 'undecided' })
  })

  it('agrees with trying every order there is', () => {
    const possible = (all: Step<string>[], state = 0, done: number[] = []): boolean =>
      all.every(({ certain }, place) => !certain || done.includes(place)) ||
      all.some(({ action, after }, place) => {
        if (done.includes(place) || !after.every((earlier) => done.includes(earlier))) return false
        const next = register.apply(state, action)
        return next !== undefined && possible(all, next, [...done, place])
      })
    const small = (max: number) => fc.integer({ min: 0, max })
    const step = fc
      .tuple(fc.constantFrom('w', 'r'), small(2), small(8), small(5), small(4))
      .map(([verb, value, start, length, fate]) => {
        const end = verb === 'w' && fate === 0 ? '' : start + length
        return `${verb}${value}:${start}-${end}`
      })
    const seen = { possible: 0, impossible: 0 }
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (history) => {
        const all = steps(history.join(' '))
        const expected = possible(all) ? 'possible' : 'impossible'
        seen[expected]++
        expect(check(all, register).is).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
    expect(Math.min(seen.possible, seen.impossible)).toBeGreaterThan(300)
  })
})
