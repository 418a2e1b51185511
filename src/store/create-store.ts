import { advance } from '../core/board.ts'
import { textKey } from '../core/checksum.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { beginWrite, findEntries, touch } from './changes.ts'
import { applyNotification } from './notifications.ts'
import { createOffers } from './offer.ts'
import { loadBoard } from './slots.ts'
import { type Runners, sql } from './sql.ts'
import type { Store } from './store.ts'
import { createTokens } from './tokens.ts'
import { createVerbs } from './verbs.ts'

/** The parts of a store that differ between SQLite and Postgres. Both stores share the verbs in verbs.ts. */
export interface Database
  extends Runners,
    Pick<Store, 'kind' | 'limiter' | 'watch' | 'migrate' | 'ping' | 'inspect' | 'close'> {}

/** How many of the latest entries with a text are read. An owner may publish the same text again and again. */
const MAX_SAME = 50

export function createStore({ read, write: commit, limiter, ...others }: Database): Store {
  let writable = true

  /** Runs work that writes. If the database fails, marks the store as not writable. */
  async function noting<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StoreUnavailable) writable = false
      throw error
    }
  }

  const write: Runners['write'] = (work) =>
    noting(async () => {
      const proves = !writable
      const result = await commit(async (db) => {
        if (proves) await touch(db)
        return work(db)
      })
      if (proves) writable = true
      return result
    })

  return {
    ...others,
    ...createVerbs(write),
    // A limiter in the database writes too, so its failures also mark the store as not writable.
    ...(limiter && { limiter: { count: (address) => noting(() => limiter.count(address)) } }),
    writable: () => writable,
    load: () => read(loadBoard),
    applyNotification: (notification, now) =>
      write((db) => applyNotification(db, notification, now)),
    async recordTransitions(now) {
      // All nodes check at about the same time, so all but one find nothing due; this read saves them a transaction.
      const { transitions } = advance(await read(loadBoard), now)
      const isNeeded = transitions.length > 0 || !writable
      return isNeeded && write(async (db) => (await beginWrite(db, now)).hadTransitions)
    },
    unpurged: () =>
      read(async (db) => {
        const rows = await sql<{ id: number }>`
          select id from placard_history where unpurged_since is not null`.execute(db)
        return rows.map(({ id }) => id)
      }),
    markPurged: (entries) =>
      write(async (db) => {
        for (const id of entries) {
          await sql`update placard_history set unpurged_since = null where id = ${id}`.execute(db)
        }
      }),
    history: (limit, before) =>
      read((db) => {
        const first = before ?? Number.MAX_SAFE_INTEGER
        return findEntries(db, sql`id < ${first} order by id desc limit ${limit}`)
      }),
    historyOf: (text, since) =>
      read((db) => {
        const such = sql`text_key = ${textKey(text)} and at >= ${since}`
        return findEntries(db, sql`${such} order by id desc limit ${MAX_SAME}`)
      }),
    offers: createOffers({ read, write }),
    tokens: createTokens({ read, write }),
  }
}
