import { type Db, type Runners, sql } from './sql.ts'

/** Lets a browser into the admin: a session, or a link's code, which the browser exchanges for a session (O1, O2). */
export interface Token {
  kind: 'code' | 'session'
  /** SHA-256, in base64url, of the secret value that the browser holds. The value itself isn't stored. */
  hash: string
  /** The person's name in the history: `null` until they give one or decline, `''` if they decline. */
  name: string | null
  /** HMAC of the hash, keyed with an API secret. The token is invalid once that secret is removed. */
  proof: string
  /** When the token expires if it isn't used: milliseconds since 1970. */
  idleAt: number
  /** When the token expires even if it is used: milliseconds since 1970. */
  endsAt: number
}

/** Stores the admin's tokens. @throws StoreUnavailable */
export interface Tokens {
  add(token: Token, now: number): Promise<void>
  /** Returns the token with this hash, unless the token has expired. */
  find(hash: string, now: number): Promise<Token | null>
  /** Exchanges the token with this hash for another. Of several callers, even on several nodes, only one succeeds. */
  exchange(hash: string, token: Token, now: number): Promise<boolean>
  remove(hash: string): Promise<void>
  extend(hash: string, idleAt: number): Promise<void>
  rename(hash: string, name: string): Promise<void>
}

/** Creates the part of a store that keeps the admin's sessions and sign-in codes. */
export function createTokens({ read, transaction }: Pick<Runners, 'read' | 'transaction'>): Tokens {
  return {
    add: (token, now) => transaction((db) => add(db, token, now)),
    find: (hash, now) =>
      read(async (db) => {
        const [token] = await sql<Token>`
          select hash, kind, name, proof, idle_at as "idleAt", ends_at as "endsAt"
          from placard_token where hash = ${hash} and ${isValid(now)}`.execute(db)
        return token ?? null
      }),
    exchange: (hash, token, now) =>
      transaction(async (db) => {
        const [old] = await sql`
          delete from placard_token where hash = ${hash} and ${isValid(now)}
          returning 1`.execute(db)
        if (old) await add(db, token, now)
        return old !== undefined
      }),
    remove: (hash) =>
      transaction(async (db) => {
        await sql`delete from placard_token where hash = ${hash}`.execute(db)
      }),
    extend: (hash, idleAt) =>
      transaction(async (db) => {
        await sql`update placard_token set idle_at = ${idleAt} where hash = ${hash}`.execute(db)
      }),
    rename: (hash, name) =>
      transaction(async (db) => {
        await sql`update placard_token set name = ${name} where hash = ${hash}`.execute(db)
      }),
  }
}

/** Stores a token, and deletes expired tokens so that the table doesn't keep growing. */
async function add(db: Db, token: Token, now: number): Promise<void> {
  const { hash, kind, name, proof, idleAt, endsAt } = token
  await sql`delete from placard_token where not (${isValid(now)})`.execute(db)
  await sql`
    insert into placard_token (hash, kind, name, proof, idle_at, ends_at)
    values (${hash}, ${kind}, ${name}, ${proof}, ${idleAt}, ${endsAt})`.execute(db)
}

const isValid = (now: number) => sql`idle_at > ${now} and ends_at > ${now}`
