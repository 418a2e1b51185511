import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { AT_TERMINAL, commandLine, pasted, serving, start } from './command-line.ts'
import { freePort } from './free-port.ts'
import { SECRETS } from './harness.ts'
import { site } from './site.ts'
import { temporaryDirectory } from './stores.ts'

let own: Awaited<ReturnType<typeof service>>
beforeAll(async () => {
  own = await service()
})

/** A service in a folder of its own, with the secrets that it generated. */
async function service() {
  const directory = temporaryDirectory()
  const options = { runner: AT_TERMINAL }
  const { output, url: said } = await serving(directory, { PORT: '0' }, options)
  const url = said.replace('localhost', '127.0.0.1')
  const kept = (name: string) => join(directory, 'data', name)
  const contents = (name: string) => readFileSync(kept(name), 'utf8').trim()
  const secrets = ['event-api-secret', 'stripe-webhook-secret'].map(contents)
  return {
    directory,
    url,
    /** The command that it printed for a coupon, without the `cd`. */
    command: () => /npx --no -- placard simulate .*/.exec(output.stdout + output.stderr)?.[0] ?? '',
    kept,
    id: contents('service-id'),
    secrets,
    history: async () => {
      // Waiting for a command may have kept this process from noticing that the service closed a connection.
      await setImmediate()
      const client = createClient({ url, secret: secrets[0] })
      return (await client.history({ limit: 200 })).entries
    },
  }
}

/** One of each command that sends a secret, or something signed with it. */
const GUARDED = [
  ['publish', 'Some text'],
  ['withdraw', '--type', 'post'],
  ['list'],
  ['history'],
  ['undo'],
  ['simulate', 'coupon.created'],
]

describe('two services on one machine', () => {
  it('contract Settings: print commands that reach only the service that printed them', async () => {
    const both = [await service(), await service()]
    // Twice, so that the history has a second page.
    for (const { command, directory } of [...both, ...both]) {
      expect(await pasted(directory, command())).toMatchObject({ code: 0, stderr: '' })
    }
    for (const { history, directory, url } of both) {
      expect(await history()).toHaveLength(2)
      // The printed command for the next page reaches this service, too.
      const first = await pasted(directory, `placard history --limit 1 --url ${url}`)
      const [more] = /npx --no -- placard history .*/.exec(first.stdout) ?? []
      expect((await pasted(directory, more ?? '')).stdout).toContain('1  published')
      const help = await commandLine(directory, { PORT: new URL(url).port }).done('help', 'list')
      const [example] = /^ {2}placard list.*/m.exec(help) ?? []
      expect((await pasted(directory, example?.trim() ?? '')).stdout).toContain('Black Friday')
    }
    // The other folder has the other service's secret.
    const [one, other] = both as [(typeof both)[0], (typeof both)[0]]
    const { code, stderr } = await pasted(other.directory, one.command())
    expect(code).toBe(1)
    expect(stderr).toContain(one.id)
    expect(stderr).toContain(other.kept('stripe-webhook-secret'))
    expect(await one.history()).toHaveLength(2)
  })

  it("contract Settings: a command with one service's secret doesn't send it to the other, and says what to do", async () => {
    const other = await service()
    const { refused } = commandLine(own.directory, { PORT: new URL(other.url).port })
    for (const [args, secret] of [
      [['publish', 'Some text'], 'event-api-secret'],
      [['simulate', 'coupon.created'], 'stripe-webhook-secret'],
    ] as const) {
      const error = await refused(1, ...args)
      const parts = [other.url, other.id, own.kept(secret), '--url', 'EVENT_API_SECRET']
      for (const part of ["wasn't sent. ", ...parts]) expect(error).toContain(part)
    }
    expect(await other.history()).toEqual([])
  })
})

describe('a server in place of the expected service', () => {
  /** Runs commands in the folder of the service that the server replaces. */
  async function sent(commands: string[][], answer: Parameters<typeof site>) {
    const { url, asked, received } = await site(...answer)
    const { refused } = commandLine(own.directory, { PORT: new URL(url).port })
    const errors: string[] = []
    for (const args of commands) errors.push(await refused(1, ...args))
    for (const secret of own.secrets) expect(received() + errors.join('')).not.toContain(secret)
    expect(received()).not.toMatch(/authorization|stripe-signature/i)
    return { errors, asked }
  }
  const ok = (body: object): Parameters<typeof site> => [200, {}, JSON.stringify(body)]

  it('contract Settings: gets no secret from any command', async () => {
    const answer = ok({ ok: true, id: '2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11' })
    const { errors, asked } = await sent(GUARDED, answer)
    for (const error of errors) expect(error).toContain('2b1d0c52-6c43-4d1f-9a86-0a3c9f7f6c11')
    expect(asked).toEqual(GUARDED.map(() => 'GET /healthz'))
  })

  it.each<[string, Parameters<typeof site>, string]>([
    ['serves a page for every path', [200, {}, '<!doctype html>'], 'not Placard'],
    ['redirects', [302, { Location: '/login' }, ''], 'returned 302)'],
    ['is an older service', ok({ ok: true }), 'a service that reports no id'],
    ['is a service with a long id', ok({ ok: true, id: 'x\n'.repeat(1_000) }), 'its id is "x\\nx'],
  ])('contract Settings: is described in the error if it %s', async (_, answer, called) => {
    const { errors, asked } = await sent([['publish', 'Some text']], answer)
    expect(errors.join()).toContain(called)
    expect(errors.join().length).toBeLessThan(600)
    expect(asked).toEqual(['GET /healthz'])
  })

  it('contract Settings: gets a public read, which needs no secret', async () => {
    const { url, asked } = await site(...ok({ event: null }))
    const { done } = commandLine(own.directory, {})
    expect(await done('current', '--url', url)).toBe('Nothing is live.\n')
    expect(asked).toEqual(['GET /api/events'])
  })
})

describe('contract Settings: a secret without a service id beside it', () => {
  const EVENT_API_SECRET = 'of-another-service-0815'

  it.each([
    ['from an older service', '', {}],
    ['from the environment', '', { EVENT_API_SECRET }],
    ['from .env', `EVENT_API_SECRET=${EVENT_API_SECRET}\n`, {}],
  ])('that comes %s is sent to the address in --url', async (_, dotenv, environment) => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'data'))
    const kept = dotenv || 'EVENT_API_SECRET' in environment ? 'another' : EVENT_API_SECRET
    writeFileSync(join(directory, 'data/event-api-secret'), `${kept}\n`)
    writeFileSync(join(directory, '.env'), dotenv)
    const other = await site(200, {}, '{"message":"Done.","ok":true,"deleted":0}')
    const args = ['withdraw', '--type', 'post', '--url', other.url]
    await commandLine(directory, environment).done(...args)
    expect(other.received()).toContain(EVENT_API_SECRET)
  })
})

describe('contract Settings: a secret from the environment', () => {
  const secrets = {
    EVENT_API_SECRET: SECRETS.EVENT_API_SECRET,
    STRIPE_WEBHOOK_SECRET: 'whsec_of-mine-0123456789',
  }
  /** Commands in a folder whose `.env` somebody else wrote. */
  const inFolder = (dotenv: string, environment: Record<string, string> = secrets) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, '.env'), dotenv)
    return commandLine(directory, environment)
  }
  const trap = async () => {
    const { url, ...rest } = await site(200, {}, '{"ok":true}')
    return { ...rest, url, port: new URL(url).port }
  }

  it.each([
    ['PORT', (port: string) => `PORT=${port}`],
    ['HOST and PORT', (port: string) => `HOST=127.0.0.1\nPORT=${port}`],
    ['PORT, beside secrets', (port: string) => `PORT=${port}\nEVENT_API_SECRET=${'x'.repeat(20)}`],
  ])(
    'is never sent to an address from the .env of the current folder, which sets %s',
    async (names, dotenv) => {
      const { port, received } = await trap()
      const { refused, placard } = inFolder(dotenv(port))
      for (const args of [...GUARDED, ['open'], ['edit', 'x', 'Text']]) {
        const error = await refused(2, ...args)
        expect(error).toContain(`is from the environment, but ${names.split(',')[0]} from `)
        expect(error).toContain('--url')
      }
      const { stdout } = await placard('doctor')
      expect(stdout).toContain('EVENT_API_SECRET is from the environment')
      expect(received()).not.toMatch(/authorization|stripe-signature/i)
      for (const secret of Object.values(secrets)) expect(received()).not.toContain(secret)
    },
  )

  it('is sent to the address in the environment or in --url, whatever .env says', async () => {
    const mine = await site(200, {}, '{"message":"Done.","ok":true,"deleted":0}')
    const other = await trap()
    const dotenv = `PORT=${other.port}`
    const PORT = new URL(mine.url).port
    await inFolder(dotenv, { ...secrets, PORT }).done('withdraw', '--type', 'post')
    await inFolder(dotenv).done('withdraw', '--type', 'post', '--url', mine.url)
    expect(mine.asked.filter((one) => one.startsWith('DELETE'))).toHaveLength(2)
    expect(other.asked).toEqual([])
  })
})

it.each<[host: string, Record<string, string>]>([
  ['127.0.0.1', {}],
  ['localhost', { NO_PROXY: 'elsewhere.test' }],
  ['[::1]', { no_proxy: 'elsewhere.test', NO_PROXY: 'x.test' }],
])(
  'contract Settings: no request to %s on this machine goes through a proxy, even with %o',
  async (host, more) => {
    const proxy = await site(502, {}, '')
    const mine = await site(200, {}, '{"message":"Done.","ok":true,"deleted":0}')
    const proxies = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: '1' }
    const environment = { ...SECRETS, ...proxies, ...more }
    // Node reads these variables when a process starts.
    const placard = (...args: string[]) => start(temporaryDirectory(), environment, args).finished
    const url = `http://${host}:${new URL(mine.url).port}`
    await placard('withdraw', '--type', 'post', '--url', url)
    await placard('doctor', '--url', url)
    expect(proxy.received()).toBe('')
    // Requests to other machines still go through the proxy.
    await placard('current', '--url', 'http://far.test')
    expect(proxy.received()).toContain('far.test')
  },
)

describe('contract R6, Settings: an error names the service and the source of the secret', () => {
  const WRONG = 'of-another-service-0815'

  it.each([
    ['the environment', { EVENT_API_SECRET: WRONG }, '', ' with the secret from the environment'],
    ['.env', {}, `EVENT_API_SECRET=${WRONG}\n`, ' with the secret from HERE/.env'],
    [
      ...(['a missing file', {}, ''] as const),
      ' without a secret: EVENT_API_SECRET is not set, and there is none in HERE/data/event-api-secret',
    ],
  ])('if the secret is from %s', async (_, environment, dotenv, means) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, '.env'), dotenv)
    const { url } = await site(401, {}, '{"error":"Unauthorized"}')
    for (const args of [['publish', 'Some text'], ['list']]) {
      const result = await commandLine(directory, environment).placard(...args, '--url', url)
      expect(result.code).toBe(1)
      expect(result.stderr.replace(directory, 'HERE')).toBe(
        `placard: Unauthorized. Set EVENT_API_SECRET to that service's secret. Called ${url}${means}\n`,
      )
    }
  })

  it('if the secret is from a file and the service no longer accepts it', async () => {
    const own = await service()
    writeFileSync(own.kept('event-api-secret'), `${WRONG}\n`)
    const args = ['publish', 'xy', '--json', '--url', own.url]
    const { stderr } = await commandLine(own.directory, {}).placard(...args)
    expect(stderr).toContain(
      `Called ${own.url} with the secret from ${own.kept('event-api-secret')}`,
    )
    expect(stderr).not.toContain(WRONG)
  })

  it('if no service responds', async () => {
    const PORT = String(await freePort())
    const { refused } = commandLine(temporaryDirectory(), { PORT })
    expect(await refused(1, 'publish', 'Some text')).toMatch(
      /^placard: Nothing answers [^\n]*give its address with --url[^\n]*EVENT_API_SECRET is not set/,
    )
    expect(await refused(1, 'current')).toContain(`http://127.0.0.1:${PORT}/`)
  })
})
