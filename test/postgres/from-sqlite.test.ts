import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { build, commandLine, ROOT } from '../command-line.ts'
import { coupon, current, DRAFT, makePlacard, notify, publish, write } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { temporaryDirectory } from '../stores.ts'
import { emptyDatabase, migratedDatabase, query } from './place.ts'

beforeAll(build)

const HOUR = 3_600_000

/** A SQLite database in `data/` of a folder, and what its service says of it. */
async function filled() {
  const directory = temporaryDirectory()
  const file = join(directory, 'data', 'placard.db')
  const mount = makePlacard(sqliteStore(file))
  for (let count = 0; count < 600; count++) {
    await publish(mount, { ...DRAFT, text: `Text number ${count}`, translations: { de: 'Etwas' } })
  }
  const { clock } = mount
  await publish(mount, { ...DRAFT, text: 'Still to come', startsAt: clock.now() + HOUR })
  const known = coupon('created', { name: 'Black Friday' })
  await notify(mount, known)
  return { directory, file, mount, known }
}

/** All that the API tells a client with the secret. */
const told = (mount: Awaited<ReturnType<typeof filled>>['mount']) =>
  Promise.all(
    ['slots', 'scheduled', 'history?limit=200'].map(async (path) => {
      const headers = { Authorization: `Bearer ${mount.apiSecret}` }
      return (await mount.fetch(`/api/events/${path}`, { headers })).json()
    }),
  )

describe('contract B2: placard restore, with Postgres', () => {
  it('copies announcements, schedule, history and ledger, as docs/scaling.md says', async () => {
    const { directory, mount, known } = await filled()
    const [shown, before] = [await current(mount), await told(mount)]
    await mount.close()
    const url = await emptyDatabase()
    const block = blockAfter('docs/scaling.md', 'name an empty database')
    const program = `'${process.execPath}' '${ROOT}bin/placard.mjs'`
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', block.replace(/\bplacard(?= restore)/, program)],
      {
        cwd: directory,
        env: { PATH: process.env.PATH ?? '', NEW_DATABASE_URL: url },
        encoding: 'utf8',
      },
    )
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /^Restored data\/placard\.db to test_\w+ at 127\.0\.0\.1:\d+: 2 up, 1 scheduled, 602 entries/,
    )
    const moved = makePlacard(postgresStore(url), {}, mount.clock)
    expect(await current(moved)).toEqual(shown)
    expect(await told(moved)).toEqual(before)
    // The ledger knows what was applied, the clock what came last, and an undo what was there.
    await notify(moved, known)
    expect(await current(moved)).toEqual(shown)
    expect((await write(moved, 'POST', {}, {}, '/api/events/undo')).status).toBe(200)
    expect(await current(moved)).toMatchObject({ text: 'Text number 599' })
    expect((await publish(moved)).status).toBe(201)
    expect(Number((await current(moved))?.timestamp)).toBeGreaterThan(Number(shown?.timestamp))
    mount.clock.advance(HOUR)
    expect(await current(moved)).toMatchObject({ text: 'Still to come' })
    await moved.close()
  })

  it('shows on a node that runs already, and is refused the second time', async () => {
    const { directory, file, mount } = await filled()
    const shown = await current(mount)
    await mount.close()
    const url = await migratedDatabase()
    const node = makePlacard(postgresStore(url))
    expect(await current(node)).toBeNull()
    const { done, refused } = commandLine(directory, { DATABASE_URL: url })
    await done('restore', file)
    await vi.waitFor(async () => expect(await current(node)).toEqual(shown))
    const history = await query(url, 'select count(*)::int as rows from placard_history')
    expect(await refused(1, 'restore', file)).toMatch(
      /has announcements already.*Give an empty one/,
    )
    expect(await query(url, 'select count(*)::int as rows from placard_history')).toEqual(history)
    await node.close()
  })
})
