import { advance } from '../core/board.ts'
import { textKey } from '../core/checksum.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { beginWrite, findEntries, probeDisk } from './changes.ts'
import { createMutations } from './mutations.ts'
import { applyNotification } from './notification-ledger.ts'
import { createOfferMemory } from './offer-memory.ts'
import { loadBoard } from './slots.ts'
import { type Runners, sql } from './sql.ts'
import type { Store } from './store.ts'
import { createTokens } from './tokens.ts'

/** The parts of a store that differ between SQLite and Postgres. */
export interface Database
  extends Pick<Store, 'kind' | 'limiter' | 'watch' | 'migrate' | 'ping' | 'inspect' | 'close'> {
  runners: Runners
}

/** How many of the latest entries with a text are read. An owner may publish the same text again and again. */
const MAX_SAME = 50

export function createStore({ runners, limiter, ...others }: Database): Store {
  const { read } = runners
  let writable = true

  /** Runs work that writes. If the database fails, marks the store as not writable. */
  async function markingFailure<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StoreUnavailable) writable = false
      throw error
    }
  }

  const update: Runners['update'] = (work) => markingFailure(() => runners.update(work))

  const transaction: Runners['transaction'] = (work) =>
    markingFailure(async () => {
      const proves = !writable
      const result = await runners.transaction(async (db) => {
        if (proves) await probeDisk(db)
        return work(db)
      })
      if (proves) writable = true
      return result
    })

  const { publish, schedule, edit, withdraw, undo } = createMutations(transaction)
  return {
    ...others,
    publish,
    schedule,
    edit,
    withdraw,
    undo,
    // A limiter in the database writes too, so its failures also mark the store as not writable.
    ...(limiter && {
      limiter: { count: (address) => markingFailure(() => limiter.count(address)) },
    }),
    writable: () => writable,
    load: () => read(loadBoard),
    applyNotification: (notification, now) =>
      transaction((db) => applyNotification(db, notification, now)),
    async recordTransitions(now) {
      // All nodes check at about the same time, so all but one find nothing due; this read saves them a transaction.
      const { transitions } = advance(await read(loadBoard), now)
      const isNeeded = transitions.length > 0 || !writable
      return isNeeded && transaction(async (db) => (await beginWrite(db, now)).hadTransitions)
    },
    unpurged: () =>
      read(async (db) => {
        const rows = await sql<{ id: number }>`
          select id from placard_history where unpurged_since is not null`.execute(db)
        return rows.map(({ id }) => id)
      }),
    markPurged: (entries) =>
      transaction(async (db) => {
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
        const condition = sql`text_key = ${textKey(text)} and at >= ${since}
          order by id desc limit ${MAX_SAME}`
        return findEntries(db, condition)
      }),
    offers: createOfferMemory({ read, update, transaction }),
    tokens: createTokens({ read, transaction }),
  }
}
