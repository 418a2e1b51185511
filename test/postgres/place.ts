import { Client } from 'pg'
import { inject } from 'vitest'

/** Makes an empty database on the Postgres of this run; resolves with its address. */
export async function emptyDatabase(): Promise<string> {
  const url = new URL(inject('postgres'))
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new Client(url.href)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = name
  return url.href
}
