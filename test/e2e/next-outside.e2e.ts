import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import { API_SECRET } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { serve } from './serve.ts'
import { SECRETS } from './visit.ts'

/** It has the packages installed. */
const EXAMPLE = fileURLToPath(new URL('../../examples/nextjs', import.meta.url))

describe('without a proxy in front', () => {
  it('contract R12: what Next fills into X-Forwarded-For is not taken for a proxy', async () => {
    const directory = temporaryDirectory()
    const served = await serve(EXAMPLE, { ...SECRETS, DATABASE_URL: `file:${directory}/next.db` })
    const visit = (headers?: Record<string, string>) =>
      fetch(`${served.url}/api/events`, headers && { headers })
    for (let count = 0; count < 6; count++) await visit()
    const findings = await diagnose({ environment: SECRETS, directory, url: served.url, pace: 5 })
    expect(findings.filter(({ check }) => check === 'proxy')).toEqual([
      expect.objectContaining({ status: 'pass' }),
    ])
    expect(findings.filter(({ mend }) => mend !== undefined)).toEqual([])
    // One that a proxy has written counts as before.
    await visit({ 'X-Forwarded-For': '203.0.113.7' })
    const headers = { Authorization: `Bearer ${API_SECRET}` }
    const { proxy } = await (await fetch(`${served.url}/api/doctor`, { headers })).json()
    expect(proxy).toMatchObject({ trusted: 0, forwarded: 1 })
    await served.stop()
  })
})

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

  it.each([`''`, `{ url: '', listen: false }`])(
    'a DATABASE_URL that is not set, postgresStore(%s): 503, and one line that names it',
    (address) => {
      const { stdout, stderr } = run(`
        const placard = createNextPlacard(() => ({ store: postgresStore(${address}), apiSecret }))
        placard.watch()
        for (let i = 0; i < 3; i++) {
          console.log((await placard.handlers.GET(new Request('http://x/api/events'))).status)
        }
        process.exit()
      `)
      expect(stdout).toBe('503\n503\n503\n')
      expect(stderr).toMatch(/^placard: [^\n]*503: DATABASE_URL must be set[^\n]*\n$/)
    },
  )

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

  it('spec 4.1, 4.2: a path may end in a slash, as Next has it with `trailingSlash`', () => {
    const { stdout } = run(`
      const placard = createNextPlacard(() => ({ store: sqliteStore(':memory:'), apiSecret }))
      const headers = { authorization: 'Bearer ' + apiSecret, 'content-type': 'application/json' }
      const body = JSON.stringify({ text: 'With a slash', type: 'post', slug: '/x' })
      const url = 'http://x/api/events/'
      const { status } = await placard.handlers.POST(new Request(url, { method: 'POST', headers, body }))
      const { event } = await (await placard.handlers.GET(new Request(url))).json()
      const { status: missing } = await placard.handlers.GET(new Request('http://x/'))
      console.log(JSON.stringify([status, event.text, missing]))
      process.exit()
    `)
    expect(JSON.parse(stdout)).toEqual([201, 'With a slash', 404])
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
