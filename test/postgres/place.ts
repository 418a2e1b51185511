import { Client } from 'pg'
import { inject } from 'vitest'

/** Makes an empty database, by default on the Postgres of this run; resolves with its address. */
export async function emptyDatabase(server = inject('postgres')): Promise<string> {
  const url = new URL(server)
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new Client(url.href)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = name
  return url.href
}
