import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import { skipAloud } from '../aloud.ts'
import { coupon, current, makePlacard, notify, publish } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { query } from './nodes.ts'
import { emptyDatabase } from './place.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
const [, section = ''] = page.split('## Back up\n')
const [dump = '', load = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)

it('contract O2, W6: docs/scaling.md says how to back up, without sessions, and restore', async (context) => {
  const [url, other] = [await emptyDatabase(), await emptyDatabase()]
  const [row] = await query<{ server_version_num: string }>(url, 'show server_version_num')
  const { stdout, error } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  const version = Number(/\d+/.exec(stdout ?? '')?.[0])
  const needed = Math.floor(Number(row?.server_version_num) / 10_000)
  skipAloud(context, Boolean(error) || version < needed, `pg_dump of Postgres ${needed}`)

  const store = postgresStore(url)
  let mount = makePlacard(store)
  await publish(mount)
  const known = coupon('created', { name: 'Black Friday' })
  await notify(mount, known)
  const shown = await current(mount)
  const token = { name: 'Anna', proof: 'x', idleAt: 9e15, endsAt: 9e15 }
  await store.tokens?.add({ ...token, kind: 'session', hash: 'x' }, mount.now())
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
  expect(await query(other, 'select * from admin_token')).toEqual([])
  expect((await publish(mount)).status).toBe(201)
  await mount.close()
})
