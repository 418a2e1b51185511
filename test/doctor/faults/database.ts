import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase, sqliteStore } from '../../../src/store/sqlite.ts'
import { SECRETS } from '../../harness.ts'
import { emptyDatabase, migratedDatabase, query } from '../../postgres/place.ts'
import { startProxy } from '../../postgres/proxy.ts'
import { temporaryDirectory } from '../../stores.ts'
import { after, mounted, open, patient } from '../stage.ts'
import { type Faults, kept } from './fault.ts'

const onPostgres = (url: string) => patient({ ...SECRETS, DATABASE_URL: url })
/** A proxy between a service and a Postgres database of its own. */
const proxied = async () => open(await startProxy(await emptyDatabase()))

export const DATABASE: Faults = {
  'a database file that was deleted while the service runs': {
    plant: () => after(patient(), (it) => rmSync(kept(it, 'placard.db'))),
    finds: ['fail database', /placard\.db was .*deleted/, /^Move .*placard\.db back.*restart/],
  },
  'a database that another program has locked': {
    plant: () =>
      after(patient(), (it) =>
        open(new DatabaseSync(kept(it, 'placard.db'))).exec('begin immediate'),
      ),
    finds: ['fail database', /database is locked/, /fuser .*placard\.db/],
  },
  "a database that doesn't wait for the disk": {
    plant: async () => {
      const database = openDatabase(join(temporaryDirectory(), 'placard.db'))
      database.exec('pragma synchronous = normal')
      return mounted({ store: sqliteStore(database) })
    },
    finds: ['fail database', /synchronous=1, so a power cut can lose writes/, /openDatabase/],
  },
  'a database without a write-ahead log': {
    plant: async () => {
      const database = new DatabaseSync(join(temporaryDirectory(), 'placard.db'))
      return mounted({ store: sqliteStore(database) })
    },
    finds: ['fail database', /journal mode delete/, /openDatabase/],
  },
  "a Postgres that can't be reached": {
    plant: async () => {
      const proxy = await proxied()
      return after(onPostgres(proxy.url), proxy.refuse)
    },
    finds: ['fail database', /Postgres can't be used/, /DATABASE_URL/],
  },
  'a frozen Postgres': {
    plant: async () => {
      const proxy = await proxied()
      return after(onPostgres(proxy.url), proxy.freeze)
    },
    finds: ['fail database', /Postgres .*No answer from the database/, /^Start Postgres/],
  },
  'a Postgres role that may only read': {
    plant: async () => {
      const url = new URL(await migratedDatabase())
      const role = `reader_${url.pathname.slice(1)}`
      await query(url.href, `create role ${role} login password 'reader'`)
      await query(url.href, `grant select on all tables in schema public to ${role}`)
      Object.assign(url, { username: role, password: 'reader' })
      return onPostgres(url.href)
    },
    finds: ['fail database', /permission denied for table/, /privileges.*docs\/upgrading/],
  },
  "a Postgres whose announcements can't be read": {
    plant: async () => {
      const url = await emptyDatabase()
      return after(onPostgres(url), () => query(url, 'alter table placard_event rename to gone'))
    },
    finds: ['fail database', /announcement can't be read/, /the service's log/],
  },
  'a read-only Postgres': {
    plant: async () => {
      const url = await emptyDatabase()
      const name = new URL(url).pathname.slice(1)
      return after(onPostgres(url), async () => {
        await query(url, `alter database ${name} set default_transaction_read_only = on`)
        await query(
          url,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = '${name}' and pid <> pg_backend_pid()`,
        )
      })
    },
    finds: ['fail database', /is read-only/, /primary/],
  },
  'a Postgres that is too old': {
    plant: async () => {
      const proxy = await proxied()
      const served = await onPostgres(proxy.url)
      proxy.inspect = (chunk) => {
        const at = chunk.indexOf('180004')
        if (at >= 0) chunk.write('130004', at)
        return true
      }
      return { ...served, settleMs: 3_000 }
    },
    finds: ['fail database', /Postgres 13\.4 is too old/, /Postgres 14/],
  },
  'a pooler in transaction mode': {
    plant: async () => {
      const proxy = await proxied()
      proxy.inspect = (chunk, direction, { listening }) => {
        // Changes the process id that the server sends to a new connection (BackendKeyData).
        const at = direction === 'down' ? chunk.indexOf('K\0\0\0\x0c', 0, 'latin1') : -1
        if (at >= 0) chunk.writeInt32BE(4_242, at + 5)
        return !(listening && direction === 'down' && chunk.includes('placard'))
      }
      return onPostgres(proxy.url)
    },
    finds: ['warn listen', /A pooler, probably in transaction mode/, /session mode/],
  },
}
