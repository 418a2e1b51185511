import type { Schema } from './migrations.ts'
import { type Db, type Runners, sql } from './sql.ts'
import type { Token, Tokens } from './store.ts'

type Row = Schema['placard_token']

/** Creates the part of a store that keeps the admin's sessions and sign-in codes. */
export function createTokens({ read, write }: Runners): Tokens {
  return {
    add: (token, now) => write((db) => add(db, token, now)),
    find: (hash, now) =>
      read(async (db) => {
        const [row] = await sql<Row>`select * from placard_token where hash = ${hash}`.execute(db)
        return valid(row, now)
      }),
    exchange: (hash, token, now) =>
      write(async (db) => {
        const [row] = await sql<Row>`
          delete from placard_token where hash = ${hash} returning *`.execute(db)
        if (!valid(row, now)) return false
        await add(db, token, now)
        return true
      }),
    remove: (hash) =>
      write(async (db) => {
        await sql`delete from placard_token where hash = ${hash}`.execute(db)
      }),
    extend: (hash, idleAt) =>
      write(async (db) => {
        await sql`update placard_token set idle_at = ${idleAt} where hash = ${hash}`.execute(db)
      }),
  }
}

/** Stores a token, and deletes expired tokens so that the table doesn't keep growing. */
async function add(db: Db, token: Token, now: number): Promise<void> {
  const { hash, kind, name, proof, idleAt, endsAt } = token
  await sql`delete from placard_token where idle_at <= ${now} or ends_at <= ${now}`.execute(db)
  await sql`
    insert into placard_token (hash, kind, name, proof, idle_at, ends_at)
    values (${hash}, ${kind}, ${name}, ${proof}, ${idleAt}, ${endsAt})`.execute(db)
}

function valid(row: Row | undefined, now: number): Token | null {
  if (!row || Math.min(row.idle_at, row.ends_at) <= now) return null
  const { idle_at: idleAt, ends_at: endsAt, kind, ...others } = row
  return { ...others, kind: kind as Token['kind'], idleAt, endsAt }
}
