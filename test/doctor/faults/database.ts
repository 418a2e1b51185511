import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase, sqliteStore } from '../../../src/store/sqlite.ts'
import { emptyDatabase, query } from '../../postgres/place.ts'
import { startProxy } from '../../postgres/proxy.ts'
import { temporaryDirectory } from '../../stores.ts'
import { mounted, open, patient, SECRETS } from '../stage.ts'
import { type Fault, kept } from './fault.ts'

export const DATABASE: Fault[] = [
  {
    name: 'a database file that was deleted while the service runs',
    plant: async () => {
      const served = await patient()
      rmSync(kept(served, 'placard.db'))
      return served
    },
    finds: [
      'fail database',
      /placard\.db was .*deleted or replaced/,
      /^Put .*placard\.db back or restore a backup .*restart the service$/,
    ],
  },
  {
    name: 'a database that another program has locked',
    plant: async () => {
      const served = await patient()
      const other = open(new DatabaseSync(kept(served, 'placard.db')))
      other.exec('begin immediate')
      return served
    },
    finds: ['fail database', /database is locked/, /fuser .*placard\.db/],
  },
  {
    name: 'a database that does not wait for the disk',
    plant: async () => {
      const database = openDatabase(join(temporaryDirectory(), 'placard.db'))
      database.exec('pragma synchronous = normal')
      return mounted({ store: sqliteStore(database) })
    },
    finds: ['fail database', /synchronous=1, so a power cut can lose writes/, /openDatabase/],
  },
  {
    name: 'a database without a write-ahead log',
    plant: async () => {
      const database = new DatabaseSync(join(temporaryDirectory(), 'placard.db'))
      return mounted({ store: sqliteStore(database) })
    },
    finds: ['fail database', /journal mode delete/, /openDatabase/],
  },
  {
    name: 'a Postgres that is gone',
    plant: async () => {
      const proxy = open(await startProxy(await emptyDatabase()))
      const served = await patient({ ...SECRETS, DATABASE_URL: proxy.url })
      proxy.refuse()
      return served
    },
    finds: ['fail database', /Postgres can't be used/, /DATABASE_URL/],
  },
  {
    name: 'a Postgres that takes no writes',
    plant: async () => {
      const url = await emptyDatabase()
      const served = await patient({ ...SECRETS, DATABASE_URL: url })
      const name = new URL(url).pathname.slice(1)
      await query(url, `alter database ${name} set default_transaction_read_only = on`)
      await query(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = '${name}' and pid <> pg_backend_pid()`,
      )
      return served
    },
    finds: ['fail database', /is read-only/, /primary/],
  },
  {
    name: 'a Postgres that is too old',
    plant: async () => {
      const proxy = open(await startProxy(await emptyDatabase()))
      const served = await patient({ ...SECRETS, DATABASE_URL: proxy.url })
      proxy.inspect = (chunk) => {
        const at = chunk.indexOf('180004')
        if (at >= 0) chunk.write('130004', at)
        return true
      }
      return { ...served, settleMs: 3_000 }
    },
    finds: ['fail database', /Postgres 13\.4 is too old/, /Postgres 14/],
  },
  {
    name: 'a pooler in transaction mode',
    plant: async () => {
      const proxy = open(await startProxy(await emptyDatabase()))
      proxy.inspect = (chunk, direction, { listening }) => {
        // The number of the process that the server tells a connection (BackendKeyData).
        const at = direction === 'down' ? chunk.indexOf('K\0\0\0\x0c', 0, 'latin1') : -1
        if (at >= 0) chunk.writeInt32BE(4_242, at + 5)
        return !(listening && direction === 'down' && chunk.includes('placard'))
      }
      return patient({ ...SECRETS, DATABASE_URL: proxy.url })
    },
    finds: ['warn listen', /A pooler, probably in transaction mode/, /session mode/],
  },
]
