import { readFileSync } from 'node:fs'

/** Reads an SQL file in this folder. The build inlines the file's text, because a bundler would lose the file. */
const text = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

export const SQLITE_0001 = text('0001_tables.sqlite.sql')
export const POSTGRES_0001 = text('0001_tables.postgres.sql')
