import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { AT_TERMINAL, serving } from './command-line.ts'
import { API_SECRET } from './harness.ts'
import { temporaryDirectory } from './stores.ts'

/** What a start in a terminal prints, and the address that the service listens on. */
async function welcome(environment: Record<string, string>, directory = temporaryDirectory()) {
  const { child, finished, url } = await serving(directory, environment, { runner: AT_TERMINAL })
  child.kill()
  return { text: (await finished).stdout, url }
}

it("contract O1: a service that can't create a sign-in link starts anyway, and says how to create one", async () => {
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
  expect(stdout).toContain(`cd ${directory} && npx --no -- placard open --url ${url}\n`)
  expect(stdout).not.toContain('/admin#')
})

it('contract O1: no sign-in link is printed without a terminal, or in production', async () => {
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

it.each([
  ['of the service itself', {}],
  ['in PUBLIC_URL', { PUBLIC_URL: 'https://notices.example/' }],
])(
  'contract Settings: a start prints links and commands that use the address %s',
  async (_, settings) => {
    const { text, url } = await welcome({ PORT: '0', ...settings })
    expect(url).toMatch(/^http:\/\/localhost:\d+$/)
    expect(text).toContain(`Placard is up at ${url}\n`)
    const reached = 'PUBLIC_URL' in settings ? 'https://notices.example' : url
    for (const path of ['/', '/api/events', '/api/webhooks']) {
      expect(text).toContain(` ${reached}${path}\n`)
    }
    // The commands work in any folder, and the first one doesn't need Stripe.
    const commands = text.match(/cd .* && npx --no -- placard \w+.* --url .*/g) ?? []
    expect(commands.map((command) => /placard (\w+)/.exec(command)?.[1])).toEqual([
      'publish',
      'simulate',
    ])
    for (const command of commands) expect(command.endsWith(` --url ${reached}`)).toBe(true)
    expect(text).toContain('data/event-api-secret')
  },
)

it('contract Settings: at startup, the service prints where its database and its secret are', async () => {
  const directory = temporaryDirectory()
  const file = join(temporaryDirectory(), 'placard.db')
  writeFileSync(
    join(directory, '.env'),
    `DATABASE_URL=file:${file}\nEVENT_API_SECRET=${API_SECRET}`,
  )
  const { text } = await welcome({ PORT: '0' }, directory)
  expect(text).toContain(`    Database  ${file} (new)\n    Secret    EVENT_API_SECRET\n`)
})
