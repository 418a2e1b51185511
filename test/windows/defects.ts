import type { Defect } from '../planted.ts'

/** What each defect is, the fault that the windows show, and how to plant it. */
export const PLANTED: [string, string, Defect][] = [
  [
    'a start that comes a moment early',
    'early',
    {
      file: 'src/showing/snapshot.ts',
      right: 'one.startsAt <= now ||',
      wrong: 'one.startsAt <= now + 1 ||',
    },
  ],
  [
    'a start that readers see only once a writer has stored it',
    'late',
    {
      file: 'src/showing/snapshot.ts',
      right: 'events: advanced.events.filter(',
      wrong: 'events: board.events.filter(',
    },
  ],
  [
    'a reader who looks again a moment too late',
    'late',
    {
      file: 'src/showing/showing.ts',
      right: 'clock.now() < choice.until',
      wrong: 'clock.now() <= choice.until',
    },
  ],
  [
    'what was replaced returns after the end of what replaced it',
    'returned',
    {
      file: 'src/core/board.ts',
      right: '[...events.filter((event) => event !== before), after]',
      wrong: '[...events, after]',
    },
  ],
  [
    'starts that take their turns in the wrong order',
    'late',
    { file: 'src/core/board.ts', right: '|| a.order - b.order', wrong: '|| b.order - a.order' },
  ],
  [
    'a look ahead that knows no ends',
    'foretold',
    {
      file: 'src/core/board.ts',
      right: 'return newest(advance(board, now).board)',
      wrong:
        'return newest(advance({ ...board, events: board.events.map((one) => ({ ...one, expiresAt: null })) }, now).board)',
    },
  ],
]
