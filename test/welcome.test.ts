import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { AT_TERMINAL, build, serving } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

/** What a start in a terminal prints, and where it listens. */
async function welcome(environment: Record<string, string>) {
  const options = { runner: AT_TERMINAL }
  const { child, finished, url } = await serving(temporaryDirectory(), environment, options)
  child.kill()
  return { text: (await finished).stdout, url }
}

it('contract Settings: a start prints addresses and a command that reach this very service', async () => {
  const { text, url } = await welcome({ PORT: '0' })
  expect(url).toMatch(/^http:\/\/localhost:\d+$/)
  for (const path of ['/', '/api/events', '/api/webhooks'])
    expect(text).toContain(` ${url}${path}\n`)
  expect(text).toMatch(new RegExp(`npx --no -- placard simulate coupon.created .* --url ${url}\n`))
  expect(text).toContain('data/event-api-secret')
})

it('contract O1: a start without a link goes on, and says how to make one', async () => {
  const directory = temporaryDirectory()
  const first = await serving(directory, { PORT: '0' }, { runner: AT_TERMINAL })
  first.child.kill()
  expect((await first.finished).stdout).toMatch(/\/admin#[\w-]{22}\n/)
  const database = new DatabaseSync(join(directory, 'data/placard.db'))
  database.exec(`create trigger full before insert on placard_token
    begin select raise(abort, 'database or disk is full'); end`)
  const { child, finished, url } = await serving(directory, { PORT: '0' }, { runner: AT_TERMINAL })
  expect((await fetch(`${url}/api/events`)).status).toBe(200)
  const open = (secret: string) =>
    fetch(`${url}/admin/links`, { method: 'POST', headers: { Authorization: `Bearer ${secret}` } })
  const secret = readFileSync(join(directory, 'data/event-api-secret'), 'utf8').trim()
  expect((await open(secret)).status).toBe(503)
  database.exec('drop trigger full')
  database.close()
  expect((await open(secret)).status).toBe(201)
  child.kill()
  const { stdout } = await finished
  expect(stdout).toContain(`npx --no -- placard open --url ${url}\n`)
  expect(stdout).not.toContain('/admin#')
})

it('contract O1: without a terminal, and in production, no link is printed', async () => {
  for (const [environment, runner] of [
    [{ LOG_LEVEL: 'debug' }, undefined],
    [{ NODE_ENV: 'production', EVENT_API_SECRET: 'x'.repeat(32) }, AT_TERMINAL],
  ] as const) {
    const options = { runner: runner && [...runner] }
    const service = await serving(temporaryDirectory(), { PORT: '0', ...environment }, options)
    service.child.kill()
    const { stdout, stderr } = await service.finished
    expect(stdout + stderr).not.toContain('admin#')
  }
})

it('contract Settings: where PUBLIC_URL says how people reach it, they name that', async () => {
  const { text, url } = await welcome({
    PORT: '0',
    PUBLIC_URL: 'https://notices.example/',
    PUBLIC_PAGE: 'off',
  })
  expect(text).toContain(`Placard is up at ${url}\n`)
  expect(text).toContain(' https://notices.example/api/webhooks\n')
  expect(text).toContain(' --url https://notices.example\n')
  // There is no page.
  expect(text).not.toContain(' https://notices.example/\n')
})
