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

/** Steps such as `w1:0-9`: an action, its start and its end. Without an end, nobody knows whether it happened. */
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

describe('the linearizability checker', () => {
  it('agrees with an exhaustive search of every order', () => {
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
