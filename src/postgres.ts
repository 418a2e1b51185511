export type { Log } from './log.ts'
export { type PostgresOptions, postgresStore } from './store/postgres.ts'
export type { Store } from './store/store.ts'
