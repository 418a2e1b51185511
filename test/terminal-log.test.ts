import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { describeError } from '../src/core/log.ts'
import { createPlacard } from '../src/placard.ts'
import { createLogger } from '../src/server/logger.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { API_SECRET } from './harness.ts'

/** A terminal, and what has been printed to it. */
function terminal() {
  const printed: string[] = []
  const output = Object.assign(
    new Writable({ write: (chunk, _, done) => done(void printed.push(String(chunk))) }),
    { isTTY: true },
  ) as unknown as NodeJS.WriteStream
  return { printed, log: createLogger({ logLevel: 'info', production: false }, output) }
}

it('a terminal shows why a request was rejected', async () => {
  const { log, printed } = terminal()
  const placard = createPlacard({ store: sqliteStore(':memory:'), apiSecret: API_SECRET, log })
  await placard.fetch(new Request('http://placard.test/api/events', { method: 'POST', body: '{' }))
  await placard.close()
  expect(printed.join('')).toMatch(/POST \/api\/events → 401 in \d+ ms \{.*"reason":/)
})

it('a terminal shows the code or the type of an error that has no message', () => {
  const { log, printed } = terminal()
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
  const error = new Error('The database is unavailable', { cause: refused })
  log.error({ error: describeError(error) }, 'could not read')
  expect(printed.pop()).toMatch(/could not read\n +ECONNREFUSED\n$/)
  log.error({ error: describeError(new TypeError()) }, 'could not read')
  expect(printed.pop()).toMatch(/could not read\n +TypeError\n$/)
})
