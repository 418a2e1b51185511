import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { commandLine, ROOT } from '../command-line.ts'
import { coupon, current, type Mount, makePlacard, notify, readOwned, undo } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { soon } from '../soon.ts'
import { temporaryDirectory } from '../stores.ts'
import { put } from './nodes.ts'
import { emptyDatabase, query } from './place.ts'

const HOUR = 3_600_000

/** Everything that the API returns to a client with the secret. */
const told = (mount: Mount) =>
  Promise.all(
    ['slots', 'scheduled', 'history?limit=200'].map(async (path) =>
      (await readOwned(mount, `/api/events/${path}`)).json(),
    ),
  )

it('contract B2: placard restore copies a SQLite file into an empty Postgres database, and a running node shows it', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'data', 'placard.db')
  const mount = makePlacard(sqliteStore(file))
  for (let count = 0; count < 600; count++) {
    await put(mount, `Text number ${count}`, { translations: { de: 'Etwas' } })
  }
  await put(mount, 'Still to come', { startsAt: mount.clock.now() + HOUR })
  const known = coupon('created', { name: 'Black Friday' })
  await notify(mount, known)
  const [shown, before] = [await current(mount), await told(mount)]
  await mount.close()

  const url = await emptyDatabase()
  const moved = makePlacard(postgresStore(url), {}, mount.clock)
  expect(await current(moved)).toBeNull()
  const program = `'${process.execPath}' '${ROOT}bin/placard.mjs'`
  const block = blockAfter('docs/scaling.md', 'to an empty database')
  const { stdout, stderr } = spawnSync('sh', ['-c', block.replace(/\bplacard(?= rest)/, program)], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', NEW_DATABASE_URL: url },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /^Restored data\/placard\.db to test_\w+ at 127\.0\.0\.1:\d+: 2 published, 1 scheduled, 602 history entries\.\n$/,
  )
  await soon(async () => expect(await current(moved)).toEqual(shown))
  expect(await told(moved)).toEqual(before)

  const { refused } = commandLine(directory, { DATABASE_URL: url })
  expect(await refused(1, 'restore', file)).toMatch(
    /already has announcements.*Use an empty database/,
  )
  expect(await query(url, 'select count(*)::int as rows from placard_history')).toEqual([
    { rows: 602 },
  ])

  // The record of applied notifications, the last timestamp and the data for an undo have been copied too.
  await notify(moved, known)
  expect(await current(moved)).toEqual(shown)
  expect((await undo(moved)).status).toBe(200)
  expect(await current(moved)).toMatchObject({ text: 'Text number 599' })
  await put(moved, 'After the move')
  expect(Number((await current(moved))?.timestamp)).toBeGreaterThan(Number(shown?.timestamp))
  mount.clock.advance(HOUR)
  expect(await current(moved)).toMatchObject({ text: 'Still to come' })
  await moved.close()
})

it('contract B2: placard restore into Postgres fails while a service has the file open', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'placard.db')
  const mount = makePlacard(sqliteStore(file))
  await put(mount, 'Before the copy')
  const url = await emptyDatabase()
  const { refused } = commandLine(directory, { DATABASE_URL: url })
  expect(await refused(1, 'restore', file)).toContain(`A service has ${file} open. Stop it`)
  expect(await query(url, "select to_regclass('placard_event')::text as it")).toEqual([
    { it: null },
  ])
  await mount.close()
})
