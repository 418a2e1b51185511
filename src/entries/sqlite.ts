export { openDatabase, sqliteStore } from '../store/sqlite.ts'
export type * from './public-types.ts'
