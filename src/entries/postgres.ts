export { type PostgresOptions, postgresStore } from '../store/postgres.ts'
export type * from './public-types.ts'
