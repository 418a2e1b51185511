import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sql } from '../src/store/sql.ts'
import { sqliteDb } from '../src/store/sqlite-db.ts'

function database() {
  const db = sqliteDb(new DatabaseSync(':memory:'))
  const texts = async () => {
    const rows = await sql<{ text: string }>`select text from note`.execute(db)
    return rows.map(({ text }) => text)
  }
  return { db, texts, create: () => sql`create table note (text text)`.execute(db) }
}

it('contract R3: nobody sees what a transaction has not committed', async () => {
  const { db, texts, create } = database()
  await create()
  const fail = Promise.withResolvers<never>()
  const undone = db.transaction(async (transaction) => {
    await sql`insert into note values ('not committed')`.execute(transaction)
    return fail.promise
  })
  const seen = texts()
  fail.reject(new Error('changed my mind'))
  await expect(undone).rejects.toThrow('changed my mind')
  expect(await seen).toEqual([])
})
