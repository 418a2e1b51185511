export { openDatabase, sqliteStore } from './store/sqlite.ts'
export type { Store } from './store/store.ts'
