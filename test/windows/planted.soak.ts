import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyOfProject, type Defect, plant } from '../planted.ts'
import { temporaryDirectory } from '../stores.ts'

const PLANTED: [string, string, Defect][] = [
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
      right: 'newest(advanced.events.filter(',
      wrong: 'newest(board.events.filter(',
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
      file: 'src/board.ts',
      right: '[...events.filter((event) => event !== before), after]',
      wrong: '[...events, after]',
    },
  ],
  [
    'starts that take their turns in the wrong order',
    'late',
    { file: 'src/board.ts', right: '|| a.order - b.order', wrong: '|| b.order - a.order' },
  ],
  [
    'a look ahead that knows no ends',
    'foretold',
    {
      file: 'src/board.ts',
      right: 'return newest(advance(board, now).board.events)',
      wrong:
        'return newest(advance({ ...board, events: board.events.map((one) => ({ ...one, expiresAt: null })) }, now).board.events)',
    },
  ],
]

it.each(PLANTED)('windows, of a service with a defect: %s: found', async (_, fault, defect) => {
  const directory = copyOfProject()
  try {
    plant(directory, defect)
    const { runWindows } = await import(join(directory, 'test/windows/run.ts'))
    const { sqliteStore } = await import(join(directory, 'src/store/sqlite.ts'))
    const path = join(temporaryDirectory(), 'placard.db')
    const { faults } = await runWindows(1, 40, async () => sqliteStore(path))
    expect(faults.map(({ fault }: { fault: string }) => fault)).toContain(fault)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
