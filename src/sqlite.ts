export type * from './public-types.ts'
export { openDatabase, sqliteStore } from './store/sqlite.ts'
