import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyOfProject, plant } from '../planted.ts'
import { temporaryDirectory } from '../stores.ts'
import { PLANTED } from './defects.ts'

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
