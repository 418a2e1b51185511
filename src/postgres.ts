export type * from './public-types.ts'
export { type PostgresOptions, postgresStore } from './store/postgres.ts'
