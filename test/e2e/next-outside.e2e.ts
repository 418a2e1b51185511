import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import { ROOT } from '../command-line.ts'
import { API_SECRET, SECRETS } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { serve } from './serve.ts'

/** It has the packages installed. */
const EXAMPLE = join(ROOT, 'examples/nextjs')

it("contract R12: without a proxy, the X-Forwarded-For that Next.js adds isn't mistaken for a proxy's", async () => {
  const directory = temporaryDirectory()
  const served = await serve(EXAMPLE, { ...SECRETS, DATABASE_URL: `file:${directory}/next.db` })
  const findings = await diagnose({ environment: SECRETS, directory, url: served.url, pace: 5 })
  // The app has no `/healthz`, which would say how the doctor's request arrived.
  expect(findings.filter(({ check }) => check === 'proxy')).toEqual([
    expect.objectContaining({ status: 'skip' }),
  ])
  expect(findings.filter(({ fix }) => fix !== undefined)).toEqual([])
  await served.stop()
})

describe("outside of Next.js's requests", () => {
  /** Runs a program with the example's packages and a service on this store, both given as JavaScript. */
  function run(program: string, store = "sqliteStore(':memory:')", options = 'apiSecret') {
    const code = `
      import { createNextPlacard } from 'placard/next'
      import { postgresStore } from 'placard/postgres'
      import { sqliteStore } from 'placard/sqlite'
      const apiSecret = '${API_SECRET}'
      let opened = 0
      const placard = createNextPlacard(() => {
        opened++
        return { store: ${store}, ${options} }
      })
      const ask = (path, init) => {
        const request = new Request('http://x/' + path, init)
        return placard.handlers[request.method](request)
      }
      ${program}
      process.exit()`
    const args = ['--input-type=module', '-e', code]
    return spawnSync(process.execPath, args, { cwd: EXAMPLE, encoding: 'utf8' })
  }

  it.each([
    ["postgresStore('postgres://[')", 'valid'],
    ["postgresStore('postgres://127.0.0.1:1/placard')", ''],
  ])(
    'requests to a service on %s get 503, with one log line and one attempt to open it',
    (store, fault) => {
      const program = `
      placard.watch()
      const statuses = new Set()
      for (let i = 0; i < 20; i++) {
        statuses.add((await ask('api/events')).status)
        // Next.js allows this only in a page, but the call tries to open the service all the same.
        await placard.current().catch(() => {})
      }
      console.log(JSON.stringify({ statuses: [...statuses], opened }))`
      const { stdout, stderr } = run(program, store)
      expect(JSON.parse(stdout)).toEqual({ statuses: [503], opened: 1 })
      expect(stderr.split('DATABASE_URL')).toHaveLength(2)
      if (fault) expect(stderr).toMatch(new RegExp(`503: DATABASE_URL must be.* ${fault}`))
    },
  )

  it('without EVENT_API_SECRET, the database is opened once and closed again', () => {
    const program = `
      const { execSync } = await import('node:child_process')
      for (let i = 0; i < 20; i++) await ask('api/events')
      const files = String(execSync('ls -l /proc/' + process.pid + '/fd'))
      const open = files.split('closed.db').length - 1
      console.log(JSON.stringify({ opened, open }))`
    const store = `sqliteStore('${temporaryDirectory()}/closed.db')`
    const { stdout } = run(program, store, 'apiSecret: undefined')
    expect(JSON.parse(stdout)).toEqual({ opened: 1, open: 0 })
  })

  it('a failing logger affects no response', () => {
    const program = `
      placard.watch()
      console.log((await ask('api/events')).status)`
    const fails = "() => { throw new Error('the log is full') }"
    const log = `{ info: ${fails}, warn: ${fails}, error: ${fails} }`
    const { stdout, stderr } = run(program, undefined, `apiSecret: undefined, log: ${log}`)
    expect([stdout, stderr]).toEqual(['503\n', ''])
  })

  it("contract W7: a write outside a request succeeds, although Next.js can't revalidate its tag there", () => {
    const { stdout, stderr } = run(`
      const draft = { text: 'From a timer', type: 'post', slug: '/x' }
      console.log((await placard.service().publish(draft)).text)`)
    expect(stdout + stderr).toBe('From a timer\n')
  })

  it('spec 4.1, 4.2: a path may end in a slash, as with `trailingSlash`', () => {
    const { stdout } = run(`
      const headers = { authorization: 'Bearer ' + apiSecret, 'content-type': 'application/json' }
      const body = JSON.stringify({ text: 'With a slash', type: 'post', slug: '/x' })
      const { status } = await ask('api/events/', { method: 'POST', headers, body })
      const { event } = await (await ask('api/events/')).json()
      console.log(JSON.stringify([status, event.text, (await ask('')).status]))`)
    expect(JSON.parse(stdout)).toEqual([201, 'With a slash', 404])
  })

  it("contract A2: a request that bypasses Node's HTTP/1 server can't choose its client address", () => {
    const { stdout } = run(`
      placard.watch()
      const statuses = []
      for (let i = 0; i < 11; i++) {
        const headers = { 'x-placard-peer': '10.0.0.' + i, 'x-forwarded-for': '10.0.1.' + i }
        statuses.push((await ask('api/events', { method: 'POST', headers })).status)
      }
      console.log(JSON.stringify(statuses))`)
    expect(JSON.parse(stdout)).toEqual([...Array(10).fill(401), 429])
  })
})
