import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { API_SECRET } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'

/** It has the packages installed. */
const EXAMPLE = fileURLToPath(new URL('../../examples/nextjs', import.meta.url))

describe('outside of Next’s requests', () => {
  /** What a program prints that uses the packages of the example. */
  function run(program: string) {
    const imports = `
      import { createNextPlacard } from 'placard/next'
      import { postgresStore } from 'placard/postgres'
      import { sqliteStore } from 'placard/sqlite'
      const apiSecret = '${API_SECRET}'
    `
    const args = ['--input-type=module', '-e', imports + program]
    return spawnSync(process.execPath, args, { cwd: EXAMPLE, encoding: 'utf8' })
  }

  const DATABASES = ['postgres://[', 'postgres://127.0.0.1:1/placard']
  it.each(DATABASES)('the database %j: 503, one line, no storm of attempts', (url) => {
    const { stdout, stderr } = run(`
      let opened = 0
      const placard = createNextPlacard(() => {
        opened++
        return { store: postgresStore('${url}'), apiSecret }
      })
      placard.watch()
      const statuses = new Set()
      for (let i = 0; i < 20; i++) {
        const answer = await placard.handlers.GET(new Request('http://x/api/events'))
        statuses.add(answer.status)
        // Next allows this only in a page, but it tries to open the service all the same.
        await placard.current().catch(() => {})
      }
      console.log(JSON.stringify({ statuses: [...statuses], opened }))
      process.exit()
    `)
    expect(JSON.parse(stdout)).toEqual({ statuses: [503], opened: 1 })
    expect(stderr.split('DATABASE_URL')).toHaveLength(2)
  })

  it('without EVENT_API_SECRET: the database is opened once, and closed again', () => {
    const { stdout } = run(`
      import { readdirSync, readlinkSync } from 'node:fs'
      let opened = 0
      const placard = createNextPlacard(() => {
        opened++
        return { store: sqliteStore('${temporaryDirectory()}/closed.db'), apiSecret: undefined }
      })
      for (let i = 0; i < 20; i++) await placard.handlers.GET(new Request('http://x/api/events'))
      const files = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync('/proc/self/fd/' + fd)
        } catch {
          return ''
        }
      })
      const open = files.filter((file) => file.includes('closed.db')).length
      console.log(JSON.stringify({ opened, open }))
    `)
    expect(JSON.parse(stdout)).toEqual({ opened: 1, open: 0 })
  })

  it('a log that fails stops nothing', () => {
    const { stdout, stderr } = run(`
      const fails = () => {
        throw new Error('the log is full')
      }
      const log = { info: fails, warn: fails, error: fails }
      const store = sqliteStore(':memory:')
      const placard = createNextPlacard(() => ({ store, apiSecret: undefined, log }))
      placard.watch()
      console.log((await placard.handlers.GET(new Request('http://x/api/events'))).status)
    `)
    expect([stdout, stderr]).toEqual(['503\n', ''])
  })

  it('contract W7: a write outside a request is no failure, as `watch` invalidates later', () => {
    const { stdout, stderr } = run(`
      const placard = createNextPlacard(() => ({ store: sqliteStore(':memory:'), apiSecret }))
      const draft = { text: 'From a timer', type: 'post', slug: '/x' }
      console.log((await placard.service().publish(draft)).text)
    `)
    expect(stdout + stderr).toBe('From a timer\n')
  })

  it('contract A2: a request that bypasses Node’s HTTP/1 server can not name an address', () => {
    const { stdout } = run(`
      const placard = createNextPlacard(() => ({ store: sqliteStore(':memory:'), apiSecret }))
      placard.watch()
      const statuses = []
      for (let i = 0; i < 11; i++) {
        const headers = { 'x-placard-peer': '10.0.0.' + i, 'x-forwarded-for': '10.0.1.' + i }
        const request = new Request('http://x/api/events', { method: 'POST', headers })
        statuses.push((await placard.handlers.POST(request)).status)
      }
      console.log(JSON.stringify(statuses))
      process.exit()
    `)
    expect(JSON.parse(stdout)).toEqual([...Array(10).fill(401), 429])
  })
})
