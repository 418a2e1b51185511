import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { helpFor } from '../src/cli/help.ts'
import { OPTIONS } from '../src/cli/options.ts'
import { build, commandLine, ROOT, serving, start } from './command-line.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './stores.ts'

const directory = temporaryDirectory()
const environment: Record<string, string> = {}
const printed: string[] = []
let service: Awaited<ReturnType<typeof serving>>

const { placard, done, json, refused } = commandLine(directory, environment, printed)

beforeAll(async () => {
  build()
  environment.PORT = String(await freePort())
  service = await serving(directory, environment)
})
afterAll(() => {
  service.child.kill()
})

describe('a first start', () => {
  it('contract Settings: makes both secrets, mode 0600, and says where they are', () => {
    for (const name of ['event-api-secret', 'stripe-webhook-secret']) {
      expect(statSync(join(directory, 'data', name)).mode & 0o777).toBe(0o600)
    }
    expect(service.output.stdout).toContain('data/event-api-secret')
    expect(service.url).toBe(`http://localhost:${environment.PORT}`)
  })
})

describe('commands', () => {
  it('spec 6, contract W2: simulate signs a notification that the service takes', async () => {
    const words = ['coupon.created', '--name', 'Black Friday', '--percent-off', '25']
    expect(await done('simulate', ...words)).toMatch(/^coupon\.created evt_\w+: published\n$/)
    expect(await json('current')).toMatchObject({
      event: { text: 'Black Friday', slug: '#coupon' },
    })
    const amount = ['--amount-off', '1000', '--currency', 'eur', '--redeem-by', '2099-01-01']
    const answer = await json('simulate', 'coupon.updated', ...amount)
    expect(answer).toEqual({ received: true, outcome: 'published' })
    expect(await json('current')).toMatchObject({
      event: { text: '€10.00 off', expiresAt: String(Date.UTC(2099, 0, 1)) },
    })
    const plain = ['coupon.updated', '--coupon', 'PLAIN', '--not-featured']
    expect(await done('simulate', ...plain)).toMatch(/: ignored \(not_featured\)\n$/)
    expect(await done('history', '--limit', '1')).toMatch(
      /ignored.*by Stripe\n.*\n {2}coupon PLAIN\n {2}because: The coupon isn’t featured: /,
    )
    const past = await json('simulate', 'coupon.updated', '--redeem-by', '2020-01-01T00:00:00Z')
    expect(past).toMatchObject({ outcome: 'ignored', reason: 'coupon_expired' })
    expect(await json('simulate', 'coupon.updated', '--not-valid')).toMatchObject({
      reason: 'coupon_not_valid',
    })
    expect(await json('simulate', 'coupon.deleted')).toMatchObject({ outcome: 'withdrawn' })
    expect(await json('current')).toEqual({ event: null })
    expect(await done('current')).toBe('Nothing is showing.\n')
  })

  it('contract W6: simulate sends the same notification again with --id', async () => {
    const again = ['simulate', 'coupon.created', '--name', 'Twice', '--id', 'same']
    expect(await json(...again)).toMatchObject({ outcome: 'published' })
    const { event } = await json('current')
    expect(await json(...again)).toMatchObject({ outcome: 'published' })
    expect((await json('current')).event.id).toBe(event.id)
    expect((await json('history')).entries[0].by).toEqual({
      via: 'stripe',
      notification: 'evt_placard_same',
    })
    const repeat = await done('simulate', 'coupon.created', '--id', 'evt_placard_same')
    expect(repeat).toBe('coupon.created evt_placard_same: published\n')
    await done('simulate', 'coupon.deleted')
  })

  it('spec 4.1, 4.2: publish puts up, current shows', async () => {
    const options = ['--type', 'product', '--slug', '/new', '--icon', 'tag']
    const text = 'A new product: "quoted" & 🎉'
    expect(await done('publish', text, ...options)).toMatch(
      /saved.*\n {2}Showing now: .*\n[0-9a-f-]{36}\n$/,
    )
    const shown = await done('current')
    for (const part of [text, 'product', '/new']) expect(shown).toContain(part)
    const made = await json('publish', 'Ends some day', '--expires-at', '2099-01-01T00:00:00+01:00')
    expect(made).toEqual({
      ok: true,
      id: expect.any(String),
      message: expect.any(String),
      warnings: [],
    })
    const { event } = await json('current')
    expect(event).toMatchObject({ id: made.id, text: 'Ends some day', type: 'post', slug: '/' })
    expect(await done('current', '--zone', 'UTC')).toContain('until Wed 31 Dec 2098, 23:00 UTC')
  })

  it('spec 4.3: withdraw takes down by type or by id, and says how many', async () => {
    const { id } = await json('publish', 'To be removed')
    expect(await json('withdraw', '--id', id)).toMatchObject({ ok: true, deleted: 1 })
    expect(await done('withdraw', '--type', 'product')).toMatch(/deleted/i)
    expect(await json('withdraw', '--type', 'product')).toMatchObject({ ok: true, deleted: 0 })
    expect(await json('current')).toEqual({ event: null })
  })

  it('says its version', async () => {
    expect(await done('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('asks whether another word was meant', async () => {
    expect(await refused(2, 'publsh')).toContain('Did you mean publish? ')
    expect(await refused(2, 'publish', 'Some text', '--slgu', '/x')).toContain(
      'Did you mean --slug? ',
    )
    expect(await refused(2, 'shout-it-out')).not.toContain('Did you mean')
  })
})

describe('help', () => {
  it('shows every command, and examples for each', async () => {
    const overview = await done('help')
    expect(await done('--help')).toBe(overview)
    for (const name of Object.keys(OPTIONS)) {
      expect(overview).toContain(`placard ${name}`)
      const help = await done('help', name)
      expect(help).toContain('Examples')
      expect(await done(name, '--help')).toBe(help)
    }
    const { code, stdout } = await placard()
    expect({ code, stdout }).toEqual({ code: 2, stdout: overview })
  })
})

it('contract Settings: the help of serve has every setting of .env.example', () => {
  const given = readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^# (\w+)=/gm)
  const help = helpFor('serve', 'http://127.0.0.1:3000')
  for (const [, name = ''] of given) expect(help).toMatch(new RegExp(`\\b${name}\\b`))
  expect(help).toContain('NODE_ENV')
})

describe('what is refused', () => {
  it.each([
    ['an unknown command', ['shout']],
    ['a command of every object', ['constructor']],
    ['another one', ['toString', '--json-ish']],
    ['help with an unknown command', ['help', 'nosuch']],
    ['help with a command of every object', ['help', 'constructor']],
    ['another address to serve at', ['serve', '--url', 'http://127.0.0.1:4000']],
    ['no text', ['publish']],
    ['two texts', ['publish', 'not', 'quoted']],
    ['an unknown option', ['publish', 'Some text', '--colour', 'red']],
    ['an option without its value', ['publish', 'Some text', '--slug']],
    ['a service to migrate', ['migrate', '--url', 'http://127.0.0.1']],
    ['no file to back up to', ['backup']],
    ['a service to restore', ['restore', 'backup.db', '--url', 'http://127.0.0.1']],
    ['nothing to edit', ['edit']],
    ['nothing to withdraw', ['withdraw']],
    ['two things to withdraw', ['withdraw', '--type', 'post', '--id', 'x']],
    ['an unknown notification', ['simulate', 'coupon.expired']],
    ['no notification', ['simulate']],
    ['a number that is none', ['simulate', 'coupon.created', '--percent-off', 'many']],
    ['a date that is none', ['simulate', 'coupon.created', '--redeem-by', 'soon']],
    ['a URL that is none', ['current', '--url', 'localhost']],
    ['a word too many', ['current', 'please']],
    ['a time that is none', ['publish', 'Some text', '--from', 'soon']],
    [
      'a time that comes twice',
      ['publish', 'x y z', '--from', '2027-10-31 02:30', '--zone', 'Europe/Berlin'],
    ],
    [
      'a time that does not come',
      ['publish', 'x y z', '--until', '2027-03-28 02:30', '--zone', 'Europe/Berlin'],
    ],
    ['a zone that is none', ['publish', 'Some text', '--from', 'tomorrow', '--zone', 'Berlin']],
    ['two ends', ['publish', 'Some text', '--until', 'tomorrow', '--for', '3d']],
    ['a translation without its language', ['publish', 'Some text', '--translation', 'Text']],
    ['an entry that is none', ['undo', 'the last']],
  ])('exit code 2, one line and a hint: %s', async (_, args) => {
    expect(await refused(2, ...args)).toContain('placard help')
  })

  it('contract A11: exit code 1 and every fault in one line when the service refuses', async () => {
    const output = await refused(1, 'publish', 'xy', '--type', 'event', '--slug', 'javascript:x')
    for (const field of ['text', 'type', 'slug']) expect(output).toContain(field)
    const { code, stderr } = await placard('publish', 'xy', '--json')
    expect(code).toBe(1)
    const error = JSON.parse(stderr)
    expect(error).toMatchObject({ status: 400, issues: [{ path: 'text' }] })
  })

  it('exit code 1 and the cause when something is there that can not be talked to', async () => {
    const url = `https://127.0.0.1:${environment.PORT}`
    expect(await refused(1, 'current', '--url', url)).toMatch(
      /\(what answers there does not speak HTTPS\)\. Give the address of the service with --url\n$/,
    )
  })

  it('exit code 1 and a hint when the port is taken', async () => {
    const result = await start(temporaryDirectory(), environment, ['serve']).finished
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^placard: .*EADDRINUSE.*PORT[^\n]*\n$/)
  })

  it('contract Settings: exit code 2 and every fault at once, without values', async () => {
    const wrong = { PORT: 'seventy', EVENT_API_SECRET: 'hunter2', LOG_LEVEL: 'loudly' }
    const { code, stderr } = await start(directory, wrong, ['serve']).finished
    expect(code).toBe(2)
    for (const [name, value] of Object.entries(wrong)) {
      expect(stderr).toContain(name)
      expect(stderr).not.toContain(value)
    }
  })
})

describe('the end', () => {
  it('contract Settings, R6: neither secret was printed by the service or any command', async () => {
    const everything = printed.join('') + service.output.stdout + service.output.stderr
    for (const name of ['event-api-secret', 'stripe-webhook-secret']) {
      const secret = readFileSync(join(directory, 'data', name), 'utf8').trim()
      expect(secret.length).toBeGreaterThan(16)
      expect(everything).not.toContain(secret)
    }
  })

  it('SIGTERM ends serve with exit code 0', async () => {
    service.child.kill('SIGTERM')
    const { code, stdout, stderr } = await service.finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/stopped/)
  })
})
