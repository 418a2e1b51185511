import { advance } from '../core/board.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { findEntries, touch } from './changes.ts'
import { applyNotification } from './notifications.ts'
import { createOffers } from './offer.ts'
import { loadBoard } from './slots.ts'
import { type Db, type Runners, type Sql, sql } from './sql.ts'
import type { Store } from './store.ts'
import { createTokens } from './tokens.ts'
import { edit, publish, recordTransitions, schedule, undo, withdraw } from './verbs.ts'

/** The parts of a store that differ between SQLite and Postgres. Both stores share the verbs in verbs.ts. */
export interface Database
  extends Runners,
    Pick<Store, 'limiter' | 'watch' | 'migrate' | 'ping' | 'inspect' | 'close'> {
  /**
   * The current time by the database's clock, in ms since 1970, if nodes on several machines share the database.
   * Default: the caller's clock.
   */
  time?: Sql<number>
}

export function createStore({
  read: ask,
  write: commit,
  time,
  limiter,
  ...others
}: Database): Store {
  let writable = true
  const timed = (db: Db): Db => (time ? { query: (...args) => db.query(...args), time } : db)

  const read: Runners['read'] = (work) => ask((db) => work(timed(db)))

  const write: Runners['write'] = async (work) => {
    const proves = !writable
    try {
      const result = await commit(async (db) => {
        if (proves) await touch(db)
        return work(timed(db))
      })
      if (proves) writable = true
      return result
    } catch (error) {
      throw noted(error)
    }
  }

  function noted(error: unknown) {
    if (error instanceof StoreUnavailable) writable = false
    return error
  }

  return {
    ...others,
    // A limiter in the database writes too, so if it fails, the store counts as not writable.
    ...(limiter && {
      limiter(limit, windowMs) {
        const { count } = limiter(limit, windowMs)
        return {
          async count(address) {
            try {
              return await count(address)
            } catch (error) {
              throw noted(error)
            }
          },
        }
      },
    }),
    writable: () => writable,
    load: () => read(loadBoard),
    publish: (draft, context) => write((db) => publish(db, draft, context)),
    schedule: (draft, startsAt, context) => write((db) => schedule(db, draft, startsAt, context)),
    edit: (id, draft, startsAt, context) => write((db) => edit(db, id, draft, startsAt, context)),
    withdraw: (selector, context) => write((db) => withdraw(db, selector, context)),
    applyNotification: (notification, now) =>
      write((db) => applyNotification(db, notification, now)),
    undo: (entry, context) => write((db) => undo(db, entry, context)),
    async recordTransitions(now) {
      // All nodes check at about the same time, so all but one find nothing due; this read saves them a transaction.
      const { transitions } = advance(await read(loadBoard), now)
      const isNeeded = transitions.length > 0 || !writable
      return isNeeded && write((db) => recordTransitions(db, now))
    },
    unpurged: () =>
      read(async (db) => {
        const rows = await sql<{ id: number }>`
          select id from placard_history where untold_since is not null`.execute(db)
        return rows.map(({ id }) => id)
      }),
    markPurged: (entries) =>
      write(async (db) => {
        for (const id of entries) {
          await sql`update placard_history set untold_since = null where id = ${id}`.execute(db)
        }
      }),
    history: (limit, before) =>
      read((db) => {
        const first = before ?? Number.MAX_SAFE_INTEGER
        return findEntries(db, sql`id < ${first} order by id desc limit ${limit}`)
      }),
    offers: createOffers({ read, write }),
    tokens: createTokens({ read, write }),
  }
}
