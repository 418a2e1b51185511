import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backup, restore } from '../src/cli/backup.ts'
import { edit } from '../src/cli/edit.ts'
import { helpFor } from '../src/cli/help.ts'
import { current, undo } from '../src/cli/look.ts'
import { type CommandName, OPTIONS } from '../src/cli/options.ts'
import { publish as publishCommand, withdraw } from '../src/cli/publish.ts'
import { connectUrl } from '../src/cli/service/address.ts'
import { simulate } from '../src/cli/simulate.ts'
import { UsageError } from '../src/cli/usage.ts'
import { isLoopback, shellCommand } from '../src/core/shell-command.ts'
import { skipAloud } from './aloud.ts'
import { commandLine, ROOT, serving, start } from './command-line.ts'
import { freePort } from './free-port.ts'
import { httpMount, publish, SECRETS } from './harness.ts'
import { running } from './running.ts'
import { site } from './site.ts'
import { temporaryDirectory } from './stores.ts'

const directory = temporaryDirectory()
const environment: Record<string, string> = {}
const printed: string[] = []
let service: Awaited<ReturnType<typeof serving>>

const { placard, done, json, refused } = commandLine(directory, environment, printed)

beforeAll(async () => {
  environment.PORT = String(await freePort())
  service = await serving(directory, environment)
})
afterAll(() => {
  service.child.kill()
})

const shown = () => shownAt(service.url)
const shownAt = async (url: string) => (await fetch(`${url}/api/events`)).json()

/** Starts a service for one test's commands alone, whose rate limit has counted no write yet (contract A1). */
async function fresh() {
  const { port, service } = await running()
  const environment = { ...SECRETS, PORT: String(port) }
  const shown = () => shownAt(service.url)
  return { ...commandLine(temporaryDirectory(), environment), shown }
}

it('contract Settings: the first start prints the path of the secret and the address of the service', () => {
  expect(service.output.stdout).toContain('data/event-api-secret')
  expect(service.url).toBe(`http://localhost:${environment.PORT}`)
})

describe('commands', () => {
  it('spec 6, contract W2, W6: simulate a signed notification, which takes effect', async () => {
    const words = ['coupon.created', '--name', 'Black Friday', '--percent-off', '25']
    expect(await done('simulate', ...words)).toMatch(/^coupon\.created evt_\w+: published\n$/)
    expect(await shown()).toMatchObject({ event: { text: 'Black Friday', slug: '#coupon' } })
    const amount = ['--amount-off', '1000', '--currency', 'EUR', '--redeem-by', '2099-01-01']
    const answer = await json('simulate', 'coupon.updated', ...amount)
    expect(answer).toEqual({ received: true, outcome: 'published' })
    expect(await shown()).toMatchObject({
      event: { text: '€10.00 off', expiresAt: String(Date.UTC(2099, 0, 1)) },
    })
    const plain = ['coupon.updated', '--coupon', 'PLAIN', '--not-featured']
    expect(await done('simulate', ...plain)).toMatch(/: ignored \(not_featured\)\n$/)
    expect(await done('history', '--limit', '1')).toMatch(
      /ignored.*by Stripe\n.*\n {2}coupon PLAIN\n {2}because: The coupon isn’t featured: /,
    )
    expect(await json('simulate', 'coupon.updated', '--not-valid')).toMatchObject({
      reason: 'coupon_not_valid',
    })
    const same = ['simulate', 'coupon.updated', '--name', 'Twice', '--id', 'same', '--coupon', 'S']
    expect(await done(...same)).toBe('coupon.updated evt_placard_same: published\n')
    expect(await done('history', '--limit', '1')).toMatch(
      / {2}- €10\.00 off \(coupon placard_\w+\)\n {2}- .*\n {2}\+ Twice \(coupon S\)$/m,
    )
    const once = await shown()
    expect(await json(...same)).toMatchObject({ outcome: 'published' })
    expect(await shown()).toEqual(once)
    expect(await json('simulate', 'coupon.deleted')).toMatchObject({ outcome: 'withdrawn' })
    expect(await json('current')).toEqual({ event: null })
    expect(await done('current')).toBe('Nothing is live.\n')
  })

  it('spec 4.1, 4.2, 4.3: publish an announcement, show it and withdraw it', async () => {
    const options = ['--type', 'product', '--slug', '/new', '--icon', 'tag']
    const text = 'A new product: "quoted" & 🎉'
    expect(await done('publish', text, ...options)).toMatch(
      /^Published\.\n {2}Showing now: .*\n[0-9a-f-]{36}\n$/,
    )
    const live = await done('current')
    for (const part of [text, 'product', '/new']) expect(live).toContain(part)
    const made = await json('publish', 'Ends some day', '--until', '2099-01-01T00:00:00+01:00')
    const message = expect.any(String)
    expect(made).toEqual({ ok: true, id: expect.any(String), message, warnings: [] })
    const { event } = await shown()
    expect(event).toMatchObject({ id: made.id, text: 'Ends some day', type: 'post', slug: '/' })
    expect(await done('current', '--zone', 'UTC')).toMatch(/until Wed,? 31 Dec 2098, 23:00 UTC/)
    expect(await json('withdraw', '--id', made.id)).toMatchObject({ ok: true, deleted: 1 })
    expect(await done('withdraw', '--type', 'product')).toContain('Taken down.')
    expect(await shown()).toEqual({ event: null })
  })

  it('contract A14, R7 to R9: schedule, list, show the history and undo', async () => {
    const { done, json, refused, shown } = await fresh()
    await done('publish', 'The one before', '--as', 'Ada')
    const zone = ['--zone', 'Europe/Berlin']
    const times = ['--from', '2098-06-01 09:00', '--for', '3d', ...zone]
    const output = await done('publish', 'A later one', '--slug', 'no/slash', ...times)
    expect(output).toMatch(/Starts Sun,? 1 Jun 2098, 09:00 Europe\/Berlin \(07:00 UTC, in /)
    expect(output).toMatch(/Ends Wed,? 4 Jun 2098, 09:00 Europe\/Berlin \(07:00 UTC, in /)
    expect(output).toContain('Showing until it starts: The one before')
    expect(output).toMatch(/^! The link has no leading slash/m)
    const inGerman = ['--translation', 'de=Die danach', '--slug-for', 'de=/de']
    const replaced = await done('publish', 'The one after', ...inGerman)
    expect(replaced).toContain('It replaced: The one before')
    expect(replaced).toContain('Next post: A later one, starts ')
    const listed = await done('list', ...zone)
    expect(listed).toMatch(/^post {2}live, because it is the newest\n {2}The one after/m)
    expect(listed).toMatch(/^ {4}de → \/de\n {4}de: Die danach$/m)
    expect(listed).toMatch(/^coupon {2}empty$/m)
    expect(listed).toMatch(/^scheduled\n {2}A later one/m)
    const { slots, scheduled } = await json('list')
    expect(slots).toMatchObject([{ text: 'The one after' }])
    expect(scheduled).toMatchObject([{ startsAt: String(Date.UTC(2098, 5, 1, 7)) }])
    const history = await done('history', '--limit', '3')
    expect(history).toMatch(
      /replaced.*by the command line\n {2}- The one before\n {2}\+ The one after/,
    )
    expect(history).toContain('by Ada (the command line)')
    expect(history).toMatch(/ {2}\+ The one after\n {2}\+ de → \/de\n {2}\+ de: Die danach$/m)
    const undone = await done('undo', '--as', 'Ada')
    const [, entry = ''] = /replaced.*by Ada[^\n]*\n {2}undoes (\d+)/.exec(undone) ?? []
    expect(await refused(1, 'undo', entry)).toContain('has already undone it')
    expect(await shown()).toMatchObject({ event: { text: 'The one before' } })
    const past = await done('publish', 'Begun already', '--from', '2020-06-01', '--zone', 'UTC')
    expect(past).toMatch(
      /^! --from was Mon,? 1 Jun 2020, 00:00 UTC .* so the announcement starts now$/m,
    )
  })

  it('contract R9: print everything that an undo did: what it took down and what it rescheduled', async () => {
    const { done, json } = await fresh()
    const { id } = await json('publish', 'Planned', '--from', '2098-06-01')
    await done('edit', id, 'Early', '--from', '2020-01-01')
    expect(await done('undo')).toMatch(
      /^5 {2}scheduled.*\n {2}undoes 2\n {2}\+ Planned\n(?: {2}\+ .*\n){2}4 {2}withdrawn.*\n {2}undoes 3\n {2}- Early\n {2}Nothing is live now\.\n$/,
    )
    await done('publish', 'Another')
    expect(await done('undo')).toMatch(
      /^\d+ {2}withdrawn.*\n {2}undoes \d+\n {2}- Another\n {2}Nothing is live now\.\n$/,
    )
  })

  it('contract A18: edit the given fields, and leave the others as they are', async () => {
    const { done, json, refused } = await fresh()
    const options = ['--icon', 'star', '--type', 'product', '--slug', '/x']
    const { id } = await json('publish', 'To be edited', ...options)
    const shown = async () => {
      const { etag: _, ...one } = (await json('list')).slots.find(
        (one: { id: string }) => one.id === id,
      )
      return one
    }
    const before = await shown()
    const edit = ['edit', id, 'Edited', '--until', 'tomorrow', '--translation', 'de=Geändert']
    expect(await done(...edit)).toMatch(/^Saved\.\n/)
    const { expiresAt, ...edited } = await shown()
    expect(edited).toEqual({ ...before, text: 'Edited', translations: { de: 'Geändert' } })
    expect(Number(expiresAt)).toBeGreaterThan(Date.now())
    const twoEnds = ['--until', 'none', '--for', '3d']
    expect(await refused(2, 'edit', id, ...twoEnds)).toContain('Give only one of --until')
    const changes = ['--icon', 'none', '--until', 'none', '--slug', '/y', '--translation', 'DE=Neu']
    await done('edit', id, ...changes)
    const { icon: _, ...left } = edited
    expect(await shown()).toEqual({ ...left, slug: '/y', translations: { de: 'Neu' } })
    await done('edit', id, '--translation', 'DE=none', '--translation', 'fr=Neuf')
    expect((await shown()).translations).toEqual({ fr: 'Neuf' })
    const gone = 'There is no translation to remove for de'
    expect(await refused(2, 'edit', id, '--translation', 'de=none')).toContain(gone)
    await done('edit', id, '--translation', 'fr=none')
    expect(await shown()).not.toHaveProperty('translations')
    const later = await json('publish', 'To be moved', '--from', '2098-06-01T09:00Z')
    await done('edit', later.id, '--from', '2098-07-01 09:00', '--zone', 'UTC')
    const startsAt = String(Date.UTC(2098, 6, 1, 9))
    expect((await json('list')).scheduled).toMatchObject([{ text: 'To be moved', startsAt }])
    const history = ['history', '--limit', '2', '--zone', 'UTC']
    const others = ['--type', 'coupon', '--icon', 'star', '--translation', 'de=Bald']
    await done('edit', later.id, ...others, '--for', '3d', '--zone', 'UTC')
    const sides = (await done(...history))
      .replaceAll(/ \(in .*?\)|(?<=\b[A-Z][a-z]{2}),/g, '')
      .split('\n')
    expect(sides.filter((line) => line.startsWith('  '))).toEqual([
      '    To be moved',
      '  - post → /',
      '  + coupon → /',
      '  + until Fri 4 Jul 2098, 09:00 UTC',
      '  + icon star',
      '  + de: Bald',
      '    To be moved',
      '  - starts Sun 1 Jun 2098, 09:00 UTC',
      '  + starts Tue 1 Jul 2098, 09:00 UTC',
    ])
    expect(await done('undo', '--zone', 'UTC')).toMatch(
      /edited.*\n {2}undoes \d+\n {4}To be moved\n {2}- coupon → \/\n(.*\n)+ {2}\+ post → \/$/m,
    )
    expect(await refused(1, 'edit', 'none', 'x y z')).toContain('No published or scheduled')
    expect(await refused(1, 'edit', id, '--type', 'post')).toContain("type can't be changed")
    const limit = '--limit must be a whole number from 1 to 200'
    expect(await refused(1, 'history', '--limit', 'all')).toContain(limit)
  })

  it('print the version, and help with examples and every setting in .env.example', async () => {
    expect(await done('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    const overview = await done('help')
    expect(await done('--help')).toBe(overview)
    expect(await placard()).toMatchObject({ code: 2, stdout: overview })
    expect(await done('edit', '--help')).toBe(await done('help', 'edit'))
    for (const name of Object.keys(OPTIONS) as CommandName[]) {
      expect(overview).toContain(`placard ${name}`)
      expect(helpFor(name, 'http://127.0.0.1:3000')).toContain('Examples')
    }
    const help = helpFor('serve', 'http://127.0.0.1:3000')
    const given = readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^# (\w+)=/gm)
    for (const [, name = ''] of given) expect(help).toMatch(new RegExp(`\\b${name}\\b`))
    expect(help).toContain('NODE_ENV')
  })
})

describe('a failing command', () => {
  it.each([
    [['shout'], ''],
    [['publsh'], 'Did you mean publish? '],
    // Every object inherits a property of this name.
    [['constructor'], 'There is no command constructor'],
    [['help', 'constructor'], 'There is no command constructor'],
    [['serve', '--url', 'http://127.0.0.1:4000'], 'HOST, PORT and PUBLIC_URL'],
    [['migrate', '--url', 'http://127.0.0.1'], ''],
    [['restore', 'backup.db', '--url', 'http://127.0.0.1'], ''],
    [['publish'], 'Give the text to publish'],
    [['publish', 'Some text', '--from', 'soon'], '--from must be a time'],
    // These commands read the service's secret before they check the option.
    [['publish', 'Some text', '--translation', 'Text'], '--translation must be TAG=TEXT'],
    [
      ['publish', 'x', '--translation', 'pt-br=A', '--translation', 'pt-BR=B'],
      'one --translation for pt-BR',
    ],
    [['publish', 'Some text', '--slug-for', '/de'], '--slug-for must be TAG=LINK'],
    [['publish', 'Some text', '--slug-for', 'de=C:/Program Files/Git/de'], 'MSYS_NO_PATHCONV'],
    [
      ['edit', 'x', '--url', 'http://localhost:1', '--until', 'none', '--for', '2h'],
      'Give only one of',
    ],
    [['simulate', 'coupon.created', '--percent-off', 'many'], '--percent-off must be a number'],
    [['current', '--url', 'http://me:hunter2@localhost:3000'], 'no user name or password'],
  ])('exits with 2 and prints one line with a hint: %j', async (args, said) => {
    const output = await refused(2, ...args)
    expect(output).toContain('placard help')
    expect(output).toContain(said)
    expect(output).not.toContain('hunter2')
  })

  const COMMANDS = {
    ...{ publish: publishCommand, edit, withdraw, simulate },
    ...{ current, undo, backup, restore },
  }

  type Refused = [keyof typeof COMMANDS, string[], string]
  const simulated = ([option, value, takes = '']: string[]): Refused => [
    'simulate',
    ['coupon.created', `${option}=${value}`],
    takes,
  ]

  it.each<Refused>([
    ['publish', ['not', 'quoted'], 'Put the text in quotes'],
    ['publish', ['Some text', '--slgu', '/x'], 'Did you mean --slug?'],
    ['publish', ['Some text', '--slug'], "'--slug <value>' argument missing"],
    [
      'publish',
      ['Some text', '--until', 'tomorrow', '--for', '3d'],
      'Give only one of --until and --for',
    ],
    ['backup', [''], 'Give the path of one file'],
    ['backup', ['newdir/'], 'Give the path of one file, not of a folder'],
    ['restore', [''], 'Give the path of one file'],
    ['edit', [], "Give an announcement's id"],
    ['withdraw', [], 'Give --type TYPE or --id ID'],
    ['withdraw', ['--type', 'post', '--id', 'x'], 'Give --type TYPE or --id ID'],
    ['simulate', ['coupon.expired'], 'Give one type: coupon.created, '],
    ...[
      ['--percent-off', 'many', 'a number from 0.01'],
      ['--percent-off', '0', 'a number from 0.01'],
      ['--percent-off', '100.5', 'to 100'],
      ['--amount-off', '19.99', 'such as 1999 for €19.99'],
      ['--amount-off', '-5', 'a whole number'],
      ['--amount-off', '0', 'a whole number'],
      ['--currency', 'euros', 'a three-letter code, such as eur'],
      ['--redeem-by', 'Jan 5', '2027-01-04T09:00:00Z or seconds since 1970'],
      ['--redeem-by', '2027-02-30', '2027-01-04, '],
      // A time in milliseconds.
      ['--redeem-by', '1800000000000', 'seconds since 1970'],
      ['--coupon', '', '1 to 255 characters'],
      ['--id', 'a b', 'without spaces'],
    ].map(simulated),
    [
      'simulate',
      ['coupon.created', '--percent-off', '5', '--amount-off', '5'],
      'Give only one of --percent-off and --amount-off',
    ],
    ['simulate', ['coupon.created', '--currency', 'eur'], 'only with --amount-off'],
    ['current', ['please'], "Unexpected argument 'please'"],
    ['current', ['--url', 'localhost:3000'], 'http://… or https://…'],
    ['undo', ['the last'], 'Give the number of one entry'],
  ])('says in one line what is wrong with its arguments: %s %j', async (name, words, said) => {
    const error = await COMMANDS[name](words).catch((error) => error)
    expect(error).toBeInstanceOf(UsageError)
    expect(error.message).toContain(said)
    expect(error.message).not.toContain('\n')
  })

  it('contract A19: sets, changes and removes the link for a language', async () => {
    const { done, json, refused } = await fresh()
    const { id } = await json('publish', 'A text', '--slug-for', 'DE=/de', '--slug-for', 'fr=/fr')
    const links = async () => (await json('list')).slots[0].slugs
    expect(await links()).toEqual({ de: '/de', fr: '/fr' })
    await done('edit', id, '--slug-for', 'de=none', '--slug-for', 'fr=/fr/x')
    expect(await links()).toEqual({ fr: '/fr/x' })
    expect(await done('history', '--limit', '1')).toMatch(
      / {4}A text\n {2}- de → \/de\n {2}- fr → \/fr\n {2}\+ fr → \/fr\/x$/m,
    )
    expect(await refused(2, 'edit', id, '--slug-for', 'de=none')).toContain('no link to remove')
    const odd = await done('edit', id, '--slug-for', 'fr=fr/x')
    expect(odd).toMatch(/^! fr: The link has no leading slash/m)
    await done('edit', id, '--slug-for', 'fr=none')
    expect(await links()).toBeUndefined()
  })

  it('contract A11: exits with 1, and names every fault by its option', async () => {
    const { placard, refused } = await fresh()
    const wrong = ['--type', 'event', '--slug', 'javascript:x', '--icon', 'A b']
    const times = ['--until', '2001-01-01', '--translation', 'de=x', '--slug-for', 'de=//x']
    const output = await refused(1, 'publish', 'xy', ...wrong, ...times)
    const options = ['--type', '--slug', '--icon', '--until', '--translation de', '--slug-for de']
    for (const option of ['the text', ...options]) expect(output).toContain(`${option} must`)
    const reversed = ['--from', '2098-06-02', '--until', '2098-06-01']
    expect(await refused(1, 'publish', 'Some text', ...reversed)).toContain(
      '--until must be later than --from',
    )
    const { code, stderr } = await placard('publish', 'xy', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ status: 400, issues: [{ path: 'text' }] })
  })

  it("exits with 1 and names the cause if the server doesn't speak HTTPS", async () => {
    const url = `https://127.0.0.1:${environment.PORT}`
    expect(await refused(1, 'current', '--url', url)).toMatch(
      /\(the server does not speak HTTPS\)\. Give the address of the service with --url\n$/,
    )
  })

  it('sets the exit code of its process, and prints only to stdout or only to stderr', async () => {
    const inProcess = (...args: string[]) => start(directory, environment, args).finished
    const error = expect.stringMatching(/^placard: [^\n]*placard help publish\n$/)
    expect(await inProcess('publish')).toEqual({ code: 2, stdout: '', stderr: error })
    const stdout = await done('current')
    expect(await inProcess('current')).toEqual({ code: 0, stdout, stderr: '' })
  })

  it('exits with 1 and prints a hint if the port is taken', async () => {
    const result = await start(temporaryDirectory(), environment, ['serve']).finished
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^placard: .*EADDRINUSE.*PORT[^\n]*\n$/)
  })

  it('contract Settings: suggests starting the service only if that generates the missing secret', async () => {
    const directory = temporaryDirectory()
    const { refused } = commandLine(directory, {})
    expect(await refused(2, 'simulate', 'coupon.created')).toContain(': start the service once, or')
    const production = commandLine(directory, { NODE_ENV: 'production' })
    expect(await production.refused(2, 'simulate', 'coupon.created')).toContain(
      'There is no signing secret: set STRIPE_WEBHOOK_SECRET',
    )
  })

  it('suggests placard doctor while the database is unavailable', async () => {
    const body = { error: 'The database is unavailable; try again' }
    const { url } = await site(503, { 'Retry-After': '1' }, JSON.stringify(body))
    const elsewhere = commandLine(temporaryDirectory(), SECRETS)
    const said = await elsewhere.refused(1, 'publish', 'Some text', '--url', url)
    expect(said).toContain(`If it fails again, run: npx --no -- placard doctor --url ${url}\n`)
  })

  it("contract W2: `simulate` doesn't follow a redirect, but names its target", async () => {
    const target = await site(200, {}, '{}')
    const from = await site(302, { Location: `${target.url}/moved` }, '')
    const elsewhere = commandLine(temporaryDirectory(), SECRETS)
    const said = await elsewhere.refused(1, 'simulate', 'coupon.created', '--url', from.url)
    expect(said).toContain(`${target.url}/moved`)
    expect(target.asked).toEqual([])
  })
})

describe('the address of the service', () => {
  it('contract Settings: comes from HOST and PORT in .env, for commands too', async (context) => {
    const loopback = Object.values(networkInterfaces()).flat()
    skipAloud(context, !loopback.some((own) => own?.address === '::1'), 'IPv6')
    const directory = temporaryDirectory()
    writeFileSync(join(directory, '.env'), `HOST=::1\nPORT=${await freePort()}\n`)
    const { url } = await serving(directory, {})
    const { done } = commandLine(directory, {})
    await done('publish', 'We have moved')
    expect(await done('current')).toContain('We have moved')
    expect(await done('publish', '--help')).toContain(url)
  })

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://[::1]:3000'],
    ['fd00::2', 'http://[fd00::2]:3000'],
  ])('contract Settings: with HOST=%s, is %s', (host, url) => {
    expect(connectUrl({ host, port: 3000 })).toBe(url)
  })

  it.each([
    ['http://localhost:3000', ''],
    ['http://127.0.0.1:3000', ''],
    ['http://localhost:30001', ' --url http://localhost:30001'],
    ['https://localhost:3000', ' --url https://localhost:3000'],
    ['http://[::1]:3000', ' --url "http://[::1]:3000"'],
  ])(
    'contract Settings: is part of a printed command, unless it is the default: %s',
    (url, option) => {
      expect(shellCommand('current', url)).toBe(`npx --no -- placard current${option}`)
    },
  )
})

it.each<[host: string, expected: boolean]>([
  ['localhost', true],
  ['shop.localhost', true],
  ['127.0.0.2', true],
  ['[::1]', true],
  ['127.example.com', false],
  ['notlocalhost', false],
])('contract R12: %s is this machine: %s', (host, expected) => {
  expect(isLoopback(`http://${host}:3000`)).toBe(expected)
})

describe('a closed output', () => {
  it("contract A12: doesn't stop the service, which later exits with 0", async () => {
    const { child, url } = await serving(temporaryDirectory(), { ...SECRETS, PORT: '0' })
    child.stdout?.destroy()
    child.stderr?.destroy()
    const mount = httpMount(url)
    // Each write produces a log line.
    for (let round = 0; round < 3; round++) expect((await publish(mount)).status).toBe(201)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('makes a command exit with 0 and without an error', async () => {
    const { child, finished } = start(directory, environment, ['current'])
    child.stdout?.destroy()
    expect(await finished).toMatchObject({ code: 0, stderr: '' })
  })
})

it('contract Settings, R6: no output of the service or a command contains a secret', () => {
  const everything = printed.join('') + service.output.stdout + service.output.stderr
  for (const name of ['event-api-secret', 'stripe-webhook-secret']) {
    const secret = readFileSync(join(directory, 'data', name), 'utf8').trim()
    expect(secret.length).toBeGreaterThan(16)
    expect(everything).not.toContain(secret)
  }
})
