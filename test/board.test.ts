import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Announcement, Scheduled } from '../src/core/announcement.ts'
import { advance, type Board, nextTransition, pickAt } from '../src/core/board.ts'
import { ANNOUNCEMENT_TYPES } from '../src/core/fields.ts'

const instant = fc.integer({ min: 0, max: 40 })
const type = fc.constantFrom(...ANNOUNCEMENT_TYPES)
const by = { via: 'code' } as const
const parts = { text: 'A text', slug: '/', icon: null, translations: null, by }

/** Any board whose announcements were created before 10 and whose instants are close enough to coincide. */
const boards: fc.Arbitrary<Board> = fc
  .record({
    published: fc.uniqueArray(fc.record({ type, end: fc.option(instant) }), {
      selector: (event) => event.type,
    }),
    scheduled: fc.array(fc.record({ type, start: instant, lasts: fc.option(instant) }), {
      maxLength: 8,
    }),
  })
  .map(({ published, scheduled }) => ({
    published: published.map(
      ({ type, end }, index): Announcement => ({
        ...parts,
        id: `event ${index}`,
        type,
        expiresAt: end,
        timestamp: index,
        coupon: null,
      }),
    ),
    scheduled: scheduled.map(
      ({ type, start, lasts }, index): Scheduled => ({
        ...parts,
        id: `scheduled ${index}`,
        type,
        startsAt: start,
        // The order of posting differs from the order of storage.
        order: (index * 5) % 8,
        expiresAt: lasts === null ? null : start + lasts + 1,
      }),
    ),
    last: 9,
  }))

/** Computes the slots in the simplest way: instant by instant, ends before starts. */
function slotsBySimulation(board: Board, now: number): Map<string, Announcement> {
  const slots = new Map(board.published.map((event) => [event.type as string, event]))
  const scheduled = board.scheduled.toSorted((a, b) => a.order - b.order)
  let { last } = board
  for (let instant = 0; instant <= now; instant++) {
    for (const [type, event] of slots) if (event.expiresAt === instant) slots.delete(type)
    for (const { startsAt, order: _, ...draft } of scheduled) {
      if (startsAt !== instant) continue
      last = Math.max(instant, last + 1)
      slots.set(draft.type, { ...draft, timestamp: last, coupon: null })
    }
  }
  return slots
}

it('contract A14: the live announcement at any time matches a simulation of every instant', () => {
  fc.assert(
    fc.property(boards, instant, (board, now) => {
      const slots = slotsBySimulation(board, now)
      const { published } = advance(board, now).board
      expect(new Map(published.map((event) => [event.type, event]))).toEqual(slots)
      const newest = [...slots.values()].toSorted((a, b) => b.timestamp - a.timestamp)[0] ?? null
      expect(pickAt(board, now)).toEqual(newest)
    }),
    { numRuns: 2_000 },
  )
})

it('contract A14: storing some transitions on the way gives the same result as computing all of them at once', () => {
  fc.assert(
    fc.property(boards, instant, instant, (board, a, b) => {
      const [first, second] = [Math.min(a, b), Math.max(a, b)]
      const stored = advance(board, first)
      const later = advance(stored.board, second)
      const atOnce = advance(board, second)
      expect(later.board).toEqual(atOnce.board)
      expect([...stored.transitions, ...later.transitions]).toEqual(atOnce.transitions)
    }),
    { numRuns: 2_000 },
  )
})

it('contract A14: transitions are in chronological order, and the time of the next one is correct', () => {
  fc.assert(
    fc.property(boards, instant, (board, now) => {
      const instants = advance(board, 200).transitions.map(({ at }) => at)
      expect(instants).toEqual(instants.toSorted((a, b) => a - b))
      const next = nextTransition(board, now)
      expect(next).toBeGreaterThan(now)
      const remaining = instants.filter((at) => at > now)
      expect(next).toBe(remaining[0] ?? Number.POSITIVE_INFINITY)
    }),
    { numRuns: 2_000 },
  )
})
