import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/server/config.ts'
import { existingServiceId, serviceId } from '../src/server/kept-files.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { API_SECRET, makePlacard } from './harness.ts'
import { emptyDatabase } from './postgres/place.ts'
import { running } from './running.ts'
import { temporaryDirectory } from './stores.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const databasePath = () => join(temporaryDirectory(), 'data', 'placard.db')

const health = async (mount: { fetch(path: string): Promise<Response> }) => {
  const answer = await mount.fetch('/healthz')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return answer.json()
}

it('contract Settings: an id is made once, beside the database and the secrets', () => {
  const { database, apiSecret } = readConfig({}, temporaryDirectory())
  if (!('path' in database && 'file' in apiSecret)) throw new Error('expected two files')
  expect(existingServiceId(database.path)).toBeUndefined()
  const id = serviceId(database.path)
  expect(id).toMatch(UUID)
  expect(serviceId(database.path)).toBe(id)
  expect(existingServiceId(apiSecret.file)).toBe(id)
  const file = join(dirname(apiSecret.file), 'service-id')
  expect(readFileSync(file, 'utf8')).toBe(`${id}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(serviceId(databasePath())).not.toBe(id)
})

it.each(['', 'not-an-id', '2b1d0c52'])(
  'contract Settings: a file that has %j for an id is named, with what to do',
  (text) => {
    const path = databasePath()
    mkdirSync(dirname(path))
    writeFileSync(join(dirname(path), 'service-id'), text)
    for (const read of [serviceId, existingServiceId]) {
      expect(() => read(path)).toThrow(ConfigError)
      expect(() => read(path)).toThrow(/service-id\. Delete the file/)
    }
  },
)

it('contract Settings: GET /healthz tells it, even where the secrets come from the environment', async () => {
  const DATABASE_URL = `file:${databasePath()}`
  const server = await running({ DATABASE_URL })
  const { id, ...rest } = await health(server)
  expect(rest).toEqual({ ok: true })
  expect(id).toBe(existingServiceId(DATABASE_URL.slice('file:'.length)))
  await server.close()
  const again = await running({ DATABASE_URL })
  expect(await health(again)).toEqual({ ok: true, id })
  await again.close()
})

it('contract Settings: with Postgres there is none, nor in an app that gives none', async () => {
  const server = await running({ DATABASE_URL: await emptyDatabase() })
  expect(await health(server)).toEqual({ ok: true })
  await server.close()
  for (const serviceId of [undefined, 'given']) {
    const mount = makePlacard(sqliteStore(':memory:'), { apiSecret: API_SECRET, serviceId })
    expect(await health(mount)).toEqual(serviceId ? { ok: true, id: serviceId } : { ok: true })
    await mount.close()
  }
})
