import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRouter, lazyAdmin } from '../src/server/router.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { makePlacard } from './harness.ts'
import { listen } from './raw.ts'
import { temporaryDirectory } from './stores.ts'

it('contract R6: while the router can not be loaded it is 503, and then it is tried again', async () => {
  const { placard, log } = makePlacard(sqliteStore(join(temporaryDirectory(), 'placard.db')))
  const admin = lazyAdmin(placard, () => ({ url: 'http://placard.test' }), log)
  let loads = 0
  const adapter = () =>
    loads++ === 0
      ? Promise.reject(new Error('EMFILE: too many open files'))
      : import('@hono/node-server')
  const server = createServer(createRouter(placard, admin, log, adapter))
  const port = await listen(server)
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/readyz?token=in-a-query`, { headers: { Connection: 'close' } })
  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.text()).not.toContain('EMFILE')
  expect(JSON.stringify(log.lines)).toContain('EMFILE')
  expect(log.lines.at(-1)?.fields).toMatchObject({ method: 'GET', path: '/readyz', status: 503 })
  expect(JSON.stringify(log.lines)).not.toContain('in-a-query')
  const answered = await ask()
  expect(answered.status).toBe(200)
  expect(answered.headers.get('cache-control')).toBe('no-store')
})
