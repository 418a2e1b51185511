import { spawnSync } from 'node:child_process'
import { expect, inject, it } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import { afterFile } from '../after-file.ts'
import { skipAloud } from '../aloud.ts'
import { coupon, current, makePlacard, notify, publish } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { soon } from '../soon.ts'
import { spawned } from '../spawned.ts'
import { temporaryDirectory } from '../stores.ts'
import { emptyDatabase, query } from './place.ts'

const dump = blockAfter('docs/scaling.md', '## Back up')
const load = blockAfter('docs/scaling.md', 'Restore into an empty database')

/**
 * A Postgres that the machine's `pg_dump` can read: this run's or, failing that, Debian's of the same version. Setting
 * up Debian's takes some seconds, so it happens only where no test may be skipped.
 */
async function readable(): Promise<string | undefined> {
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  const version = /\d+/.exec(stdout ?? '')?.[0]
  if (version === undefined) return undefined
  const own = inject('postgres')
  const [row] = await query<{ server_version_num: string }>(own, 'show server_version_num')
  if (Number(version) * 10_000 > Number(row?.server_version_num) - 10_000) return own
  if (process.env.REAL !== '1') return undefined
  // It runs until its input ends.
  const command = 'echo "$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT"; cat'
  const args = ['pg_virtualenv', '-t', '-v', version, '-o', 'fsync=off', 'sh', '-c', command]
  const { child, ended, written } = spawned('env', args)
  afterFile(() => {
    child.stdin?.end()
    return ended
  })
  const address = await soon(() => {
    const [found] = /^\S+:\S+@\S+:\d+$/m.exec(written()) ?? []
    if (found || child.exitCode !== null) return found
    throw new Error(`No Postgres yet: ${written()}`)
  })
  return address && `postgres://${address}/postgres`
}

it('contract O2, W6: the commands in docs/scaling.md back Postgres up without sessions, and restore it', async (context) => {
  const server = await readable()
  skipAloud(context, server === undefined, 'pg_dump, and a Postgres of its version')
  const [url, other] = [await emptyDatabase(server), await emptyDatabase(server)]
  const store = postgresStore(url)
  let mount = makePlacard(store)
  await publish(mount)
  const known = coupon('created', { name: 'Black Friday' })
  await notify(mount, known)
  const shown = await current(mount)
  const token = { name: 'Anna', proof: 'x', idleAt: 9e15, endsAt: 9e15 }
  await store.tokens.add({ ...token, kind: 'session', hash: 'x' }, mount.now())
  const cwd = temporaryDirectory()
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: url, NEW_DATABASE_URL: other }
  for (const command of [dump, load]) {
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  }
  await mount.close()

  mount = makePlacard(postgresStore(other))
  expect(await current(mount)).toEqual(shown)
  await notify(mount, known)
  expect(await current(mount)).toEqual(shown)
  expect(await query(other, 'select * from placard_token')).toEqual([])
  expect((await publish(mount)).status).toBe(201)
  await mount.close()
})
