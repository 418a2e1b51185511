import { Client } from 'pg'
import { inject } from 'vitest'

/** Makes an empty database, by default on the Postgres of this run; resolves with its address. */
export function emptyDatabase(server = inject('postgres')): Promise<string> {
  return makeDatabase(server)
}

/** Makes one that has the tables already, as after a first start. To make them takes longer than most tests take. */
export function migratedDatabase(): Promise<string> {
  return makeDatabase(inject('postgres'), inject('template'))
}

async function makeDatabase(server: string, template = 'template1'): Promise<string> {
  const url = new URL(server)
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new Client(url.href)
  await client.connect()
  await client.query(`create database ${name} template ${template}`)
  await client.end()
  url.pathname = name
  return url.href
}

/** Runs a statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
