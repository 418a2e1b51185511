import { readFileSync } from 'node:fs'

/** Reads an SQL file in this folder. The build inlines the file's text, because a bundler would lose the file. */
const text = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

const TABLES = text('0001_tables.sql')

export const POSTGRES_0001 = `${TABLES}\n${text('0001_allowance.postgres.sql')}`
/** In SQLite, only an `integer primary key` becomes the row's id, and an `integer` has 64 bits too. */
export const SQLITE_0001 = TABLES.replaceAll('bigint', 'integer')
