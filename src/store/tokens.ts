import type { Schema } from './migrations.ts'
import { type Db, sql } from './sql.ts'
import type { Token } from './store.ts'

type Row = Schema['placard_token']

/** Stores a token and deletes expired ones, so the table has only the tokens in use. */
export async function addToken(db: Db, token: Token, now: number): Promise<void> {
  const { hash, kind, name, proof, idleAt, endsAt } = token
  await sql`delete from placard_token where idle_at <= ${now} or ends_at <= ${now}`.execute(db)
  await sql`
    insert into placard_token (hash, kind, name, proof, idle_at, ends_at)
    values (${hash}, ${kind}, ${name}, ${proof}, ${idleAt}, ${endsAt})`.execute(db)
}

export async function findToken(db: Db, hash: string, now: number): Promise<Token | null> {
  const { rows } = await sql<Row>`select * from placard_token where hash = ${hash}`.execute(db)
  return valid(rows[0], now)
}

/** Of two callers with the same token, one succeeds. */
export async function exchangeToken(
  db: Db,
  hash: string,
  token: Token,
  now: number,
): Promise<boolean> {
  const { rows } = await sql<Row>`
    delete from placard_token where hash = ${hash} returning *`.execute(db)
  if (!valid(rows[0], now)) return false
  await addToken(db, token, now)
  return true
}

export async function removeToken(db: Db, hash: string): Promise<void> {
  await sql`delete from placard_token where hash = ${hash}`.execute(db)
}

export async function extendToken(db: Db, hash: string, idleAt: number): Promise<void> {
  await sql`update placard_token set idle_at = ${idleAt} where hash = ${hash}`.execute(db)
}

function valid(row: Row | undefined, now: number): Token | null {
  if (!row || Math.min(row.idle_at, row.ends_at) <= now) return null
  const { hash, kind, name, proof } = row
  return {
    hash,
    kind: kind as Token['kind'],
    name,
    proof,
    idleAt: row.idle_at,
    endsAt: row.ends_at,
  }
}
