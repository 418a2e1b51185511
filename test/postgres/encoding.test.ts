import { expect, inject, it } from 'vitest'
import { bringUpToDate } from '../../src/local/database.ts'
import { postgresStore } from '../../src/store/postgres.ts'
import { afterFile } from '../after-file.ts'
import { query } from './place.ts'

/** Creates a database with an encoding that isn't Postgres's default. */
async function encoded(encoding: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await query(
    inject('postgres'),
    `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
  )
  return Object.assign(new URL(inject('postgres')), { pathname: name }).href
}

it.each(['LATIN1', 'WIN1252', 'EUC_JP', 'KOI8R'])(
  'contract T4: the service refuses a Postgres database whose encoding lacks characters: %s',
  async (encoding) => {
    const url = await encoded(encoding)
    const message = `The database's encoding is ${encoding}, which lacks most characters: use a database with the encoding UTF8`
    await expect(bringUpToDate({ kind: 'postgres', url })).rejects.toThrow(message)
    for (const listen of [true, false]) {
      const store = postgresStore({ url, listen })
      afterFile(store.close)
      expect(await store.inspect()).toMatchObject({ failed: { message } })
      if (listen) await expect(store.load()).rejects.toThrow(message)
    }
  },
)

it('contract T4: the service accepts a Postgres database that stores bytes as they are', async () => {
  const url = await encoded('SQL_ASCII')
  expect(await bringUpToDate({ kind: 'postgres', url })).toEqual([1])
})
