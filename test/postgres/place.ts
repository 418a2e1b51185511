import { Client } from 'pg'
import { inject } from 'vitest'

/** Creates an empty database, by default on the Postgres of this run; resolves with its address. */
export function emptyDatabase(server = inject('postgres')): Promise<string> {
  return makeDatabase(server)
}

/** Creates a database that already has the tables, as after a first start. Migrating takes longer than most tests. */
export function migratedDatabase(): Promise<string> {
  return makeDatabase(inject('postgres'), inject('template'))
}

async function makeDatabase(server: string, template = 'template1'): Promise<string> {
  const url = new URL(server)
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await query(server, `create database ${name} template ${template}`)
  url.pathname = name
  return url.href
}

/** Runs statements beside the service, as an operator would type them. */
export async function query<Row = Record<string, unknown>>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
