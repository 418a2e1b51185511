import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { postgresStore } from '../src/store/postgres.ts'
import { commandLine } from './command-line.ts'
import { freePort } from './free-port.ts'
import { makePlacard, publish } from './harness.ts'
import { emptyDatabase, query } from './postgres/place.ts'
import { blockAfter } from './printed.ts'
import { eventsIn, STORES, temporaryDirectory } from './stores.ts'

it.each(STORES)(
  'placard migrate on $name creates missing tables, even if it runs twice at once',
  async (kind) => {
    const place = await kind.bare()
    // Nothing else is set, so settings that the service needs are missing.
    const environment = { DATABASE_URL: place.url, NODE_ENV: 'production' }
    const { done, json } = commandLine(temporaryDirectory(), environment)
    const both = await Promise.all([1, 2].map(() => json('migrate')))
    expect(both.flatMap((one) => one.applied)).toEqual([1])
    expect(await done('migrate')).toMatch(
      kind.name === 'SQLite'
        ? /^Nothing to do: \S*\/placard\.db is up to date\n$/
        : /^Nothing to do: test_\w+ at 127\.0\.0\.1:\d+ is up to date\n$/,
    )
    const store = await place.open()
    expect(await eventsIn(store)).toEqual([])
    await store.close()
  },
)

it('placard migrate says that it created a file, in case its name was mistyped', async () => {
  const directory = temporaryDirectory()
  const { done } = commandLine(directory, { DATABASE_URL: 'file:mistyped.db' })
  expect(await done('migrate')).toContain(
    `Created a new database: ${join(directory, 'mistyped.db')} did not exist\n`,
  )
  expect(await done('migrate')).not.toContain('Created a new')
})

it('a Postgres role that may only read and write the tables can run a service, as docs/upgrading.md says', async () => {
  const url = await emptyDatabase()
  const role = `service_${crypto.randomUUID().slice(0, 8)}`
  await query(url, `create role ${role} login password 'x'`)
  const granting = blockAfter('docs/upgrading.md', 'every table that the migrations create')
  await query(url, granting.replace('placard_service', role))
  await commandLine(temporaryDirectory(), { DATABASE_URL: url }).done('migrate')
  const own = Object.assign(new URL(url), { username: role, password: 'x' })
  const mount = makePlacard(postgresStore(own.href))
  expect((await publish(mount)).status).toBe(201)
  await mount.close()
})

describe('a failing placard migrate', () => {
  it.each([
    ['a path that leads through a file', 'file:/dev/null/placard.db', /\/dev\/null.*can't be used/],
    [
      'an address at which no server listens',
      'postgres://me:hidden@127.0.0.1:PORT/x',
      /DATABASE_URL/,
    ],
    [
      'a host name at which no server listens',
      'postgres://me:hidden@localhost:PORT/x',
      /ECONNREFUSED.*DATABASE_URL/,
    ],
  ])(
    'exits with 1 and one line that says why, with DATABASE_URL set to %s',
    async (_, url, why) => {
      const at = url.replace('PORT', String(await freePort()))
      const output = await commandLine(temporaryDirectory(), { DATABASE_URL: at }).refused(
        1,
        'migrate',
      )
      expect(output).toMatch(why)
      expect(output).not.toContain('hidden')
    },
  )

  it('contract Settings: exits with 2 if DATABASE_URL is invalid, whatever the other settings are', async () => {
    const environment = { DATABASE_URL: 'mysql://x', PORT: 'none', EVENT_API_SECRET: 'short' }
    const directory = temporaryDirectory()
    const { code, stderr } = await commandLine(directory, environment).placard('migrate')
    expect(code).toBe(2)
    expect(stderr).toMatch(/DATABASE_URL must be file:PATH or postgres/)
    expect(stderr).not.toMatch(/PORT|EVENT_API_SECRET|mysql/)
  })
})
