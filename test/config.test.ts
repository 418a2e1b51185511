import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../src/cli/backup.ts'
import { localUrl } from '../src/local/address.ts'
import { ConfigError, readAccess, readConfig } from '../src/local/config.ts'
import { postgresStore } from '../src/store/postgres.ts'
import { SECRETS } from './harness.ts'
import { temporaryDirectory } from './stores.ts'

const empty = temporaryDirectory()
const read = (environment: Record<string, string> = {}, directory = empty) =>
  readConfig(environment, directory)

/** The lines of the error for these settings. */
function faults(environment: Record<string, string>, directory = empty): string[] {
  try {
    read(environment, directory)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.split('\n').slice(1)
  }
  return []
}
const named = (environment: Record<string, string>) =>
  faults(environment).map((line) => line.trim().split(' ')[0])

const POSTGRES = 'postgres://user:db-password@db.example/placard'

const FAULTY = {
  PORT: 'x',
  DATABASE_URL: 'x',
  EVENT_API_SECRET: 'x',
  STRIPE_WEBHOOK_SECRET: 'x',
  TRUST_PROXY: 'x',
  MAX_STREAMS: 'x',
  LOG_LEVEL: 'x',
}

describe('contract Settings: defaults and values', () => {
  it('no setting is required, and the defaults serve only this machine', () => {
    expect(read()).toEqual({
      host: '127.0.0.1',
      port: 3000,
      database: { kind: 'sqlite', path: join(empty, 'data/placard.db') },
      apiSecret: { file: join(empty, 'data/event-api-secret') },
      stripeWebhookSecret: { file: join(empty, 'data/stripe-webhook-secret') },
      stripe: null,
      purge: null,
      publicPage: true,
      publicUrl: null,
      trustProxy: 0,
      maxStreams: 10_000,
      logLevel: 'info',
      localesDir: null,
      production: false,
    })
  })

  it('every variable takes effect', () => {
    const environment = {
      ...SECRETS,
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8080',
      DATABASE_URL: 'file:/var/lib/placard/placard.db',
      PURGE: 'varnish:http://127.0.0.1:6081',
      PURGE_TOKEN: 'of-the-cache',
      PUBLIC_PAGE: 'off',
      PUBLIC_URL: 'https://notices.example',
      TRUST_PROXY: '2',
      MAX_STREAMS: '50',
      LOG_LEVEL: 'warn',
      STRIPE_API_KEY: 'rk_live_0123456789',
      STRIPE_API_URL: 'http://localhost:12111',
      LOCALES_DIR: 'my-locales',
    }
    expect(read(environment)).toEqual({
      host: '0.0.0.0',
      port: 8080,
      database: { kind: 'sqlite', path: '/var/lib/placard/placard.db' },
      apiSecret: { value: SECRETS.EVENT_API_SECRET },
      stripeWebhookSecret: { value: SECRETS.STRIPE_WEBHOOK_SECRET },
      stripe: { apiKey: 'rk_live_0123456789', apiUrl: 'http://localhost:12111' },
      purge: { kind: 'varnish', place: 'http://127.0.0.1:6081', token: 'of-the-cache' },
      publicPage: false,
      publicUrl: 'https://notices.example',
      trustProxy: 2,
      maxStreams: 50,
      logLevel: 'warn',
      localesDir: join(empty, 'my-locales'),
      production: true,
    })
  })

  it.each([
    ['file:x.db\n', 'x.db'],
    ['file:x.db', 'x.db'],
    ['file:./data/x.db', 'data/x.db'],
    ['file:///var/x.db', '/var/x.db'],
    ['file:///var/with%20space.db', '/var/with space.db'],
  ])('DATABASE_URL %s is a SQLite file', (url, path) => {
    const file = path.startsWith('/') ? path : join(empty, path)
    expect(read({ DATABASE_URL: url }).database).toEqual({ kind: 'sqlite', path: file })
  })

  it.each([
    ['https://notices.example/', 'https://notices.example'],
    ['HTTP://Notices.example:80', 'http://notices.example'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('the origin of PUBLIC_URL %s is %s', (given, origin) => {
    expect(read({ PUBLIC_URL: given }).publicUrl).toBe(origin)
  })

  it.each([
    ['127.0.0.1', 'http://localhost:8080'],
    ['0.0.0.0', 'http://localhost:8080'],
    ['::', 'http://localhost:8080'],
    ['::1', 'http://[::1]:8080'],
    ['[::1]', 'http://[::1]:8080'],
    ['notices.local', 'http://notices.local:8080'],
  ])(
    'without PUBLIC_URL, people reach a service on HOST %s at %s, with its actual port',
    (HOST, url) => {
      expect(localUrl(read({ HOST, PORT: '0' }).host, 8080)).toBe(url)
    },
  )

  it.each([
    POSTGRES,
    'postgresql://localhost/placard',
    'postgres://user@/placard?host=/cloudsql/project:region:instance',
    'postgres://user:secret@/placard?host=/var/run/postgresql',
    'postgresql:///placard?host=/var/run/postgresql',
    'postgres://user@%2Fvar%2Frun%2Fpostgresql/placard',
  ])('DATABASE_URL %s is Postgres', (url) => {
    expect(read({ DATABASE_URL: url, ...SECRETS }).database).toEqual({ kind: 'postgres', url })
  })
})

describe('contract Settings: invalid settings', () => {
  it.each([
    ['PORT', '-1 65536 http 3000.5 1e3 0x10'],
    ['PUBLIC_PAGE', 'no OFF false 0'],
    [
      'PUBLIC_URL',
      'notices.example https:notices.example ftp://notices.example https://:80 ' +
        'https://notices.example/news https://notices.example?from=mail ' +
        'https://notices.example#top https://someone:password@notices.example javascript:alert(1)',
    ],
    ['TRUST_PROXY', 'true -1 33 loopback'],
    ['MAX_STREAMS', 'many -1 1000001'],
    ['LOG_LEVEL', 'INFO verbose 1'],
    [
      'DATABASE_URL',
      'placard.db file:~/p.db file:~ postgres://user@/placard postgres://user:pa/ss@/db?host=/x mysql://x file: postgres:// POSTGRES file://host/x file:///a%2Fb',
    ],
    ['EVENT_API_SECRET', `short ${'x'.repeat(15)} ümlaut-ümlaut-üml ,`],
    ['STRIPE_WEBHOOK_SECRET', `whsec_short ${'x'.repeat(20)},short ,,`],
    [
      'PURGE',
      'varnish:cache varnish:http://user:word@cache http://cdn.example/purge cloudflare:a/b',
    ],
    ['PURGE_TOKEN', 'ümlaut'],
  ])(
    'each invalid %s gets one line in the error, which names the variable but not the value',
    (name, values) => {
      for (const value of [' ', 'two words of it', ...values.split(' ')]) {
        const lines = faults({ ...SECRETS, [name]: value })
        expect(lines, value).toHaveLength(1)
        expect(lines[0]).toMatch(new RegExp(`^ {2}${name} .{10,}`))
        const message = (lines[0] ?? '').replace('file:PATH or postgres://', '')
        if (value.trim().length > 2) expect(message).not.toContain(value)
      }
    },
  )

  it.each(['cloudflare', 'fastly'])('contract R13: PURGE=%s:… needs PURGE_TOKEN', (kind) => {
    expect(named({ PURGE: `${kind}:abc` })).toEqual(['PURGE_TOKEN'])
  })

  it('all invalid settings are reported at once', () => {
    expect(named(FAULTY).toSorted()).toEqual(Object.keys(FAULTY).toSorted())
    expect(named({ NODE_ENV: 'production', PORT: 'x' })).toEqual(['PORT', 'EVENT_API_SECRET'])
  })

  it.each([{ NODE_ENV: 'production' }, { DATABASE_URL: POSTGRES }])(
    'with %o, EVENT_API_SECRET is required, and notifications need STRIPE_WEBHOOK_SECRET',
    (environment) => {
      const { EVENT_API_SECRET, STRIPE_WEBHOOK_SECRET } = SECRETS
      for (const secret of [{}, { EVENT_API_SECRET: '' }, { STRIPE_WEBHOOK_SECRET }]) {
        expect(faults({ ...environment, ...secret })).toEqual([
          expect.stringMatching(
            /^ {2}EVENT_API_SECRET is required when .* `openssl rand -hex 24`$/,
          ),
        ])
      }
      expect(read({ ...environment, EVENT_API_SECRET }).stripeWebhookSecret).toBeNull()
    },
  )
})

describe('contract Settings: the settings that a command reads', () => {
  const access = (needs: Parameters<typeof readAccess>[0], environment: Record<string, string>) =>
    readAccess(needs, environment, empty)
  const both = { port: true, secret: 'EVENT_API_SECRET' } as const
  const stripe = { port: false, secret: 'STRIPE_WEBHOOK_SECRET' } as const

  it("are only those that it needs, so other invalid settings don't stop it", () => {
    const { EVENT_API_SECRET: value, STRIPE_WEBHOOK_SECRET } = SECRETS
    const given = { ...FAULTY, PORT: '80', EVENT_API_SECRET: value }
    const at = { host: '127.0.0.1', port: 80 }
    expect(access({ port: false }, FAULTY)).toMatchObject({ secret: null })
    expect(access({ port: true }, given)).toEqual({ ...at, secret: null, origin: null })
    expect(access(both, given)).toEqual({ ...at, secret: { value }, origin: 'the environment' })
    const { secret } = access(stripe, { STRIPE_WEBHOOK_SECRET, PORT: 'x' })
    expect(secret).toEqual({ value: STRIPE_WEBHOOK_SECRET })
  })

  it("follow the same rules as the service's, and all invalid ones are reported at once", () => {
    expect(() => access(both, FAULTY)).toThrow(/PORT [\s\S]*EVENT_API_SECRET /)
    expect(() => access(both, FAULTY)).not.toThrow(/DATABASE_URL|LOG_LEVEL/)
    expect(() => access(both, { DATABASE_URL: 'x' })).toThrow(/DATABASE_URL/)
    const production = { NODE_ENV: 'production' }
    const wanted = /EVENT_API_SECRET is required .*: set it to the secret of the service at --url/
    expect(() => access(both, production)).toThrow(wanted)
    expect(access({ port: true }, production).secret).toBeNull()
    expect(access(stripe, production).secret).toBeNull()
  })

  it('include the secret that the service stored, if none is set', () => {
    const DATABASE_URL = 'file:/var/lib/placard/placard.db'
    const origin = '/var/lib/placard/stripe-webhook-secret'
    const found = access(stripe, { ...FAULTY, STRIPE_WEBHOOK_SECRET: '', DATABASE_URL })
    expect(found).toMatchObject({ secret: { file: origin }, origin })
  })
})

it("contract Settings: .env sets only variables that the environment doesn't", () => {
  const directory = mkdtempSync(join(empty, 'dotenv-'))
  writeFileSync(join(directory, '.env'), '\ufeffPORT=4000\nHOST="::1"\nLOG_LEVEL=debug\n')
  const config = read({ PORT: '5000', LOG_LEVEL: '' }, directory)
  expect(config).toMatchObject({ port: 5000, host: '::1', logLevel: 'debug' })
  // An empty variable counts as not set.
  expect(read({ PORT: '', EVENT_API_SECRET: '', LOCALES_DIR: '' })).toEqual(read())
})

describe('contract Settings: a .env file', () => {
  const text = 'PORT=4711\r\nEVENT_API_SECRET=a-secret-of-powershell\r\n'
  const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()
  const inFile = (bytes: Uint8Array) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, '.env'), bytes)
    return directory
  }

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ["PowerShell's UTF-16", Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big-endian UTF-16', swapped(Buffer.from(`\ufeff${text}`, 'utf16le'))],
  ])('is read if it is in %s', (_, bytes) => {
    const { port, apiSecret } = read({}, inFile(bytes))
    expect([port, apiSecret]).toEqual([4711, { value: 'a-secret-of-powershell' }])
  })

  it.each([
    ['UTF-16 without a byte order mark', Buffer.from(text, 'utf16le')],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x50, 0, 0, 0])],
  ])('is rejected if it is in %s', (_, bytes) => {
    const directory = inFile(bytes)
    expect(faults({}, directory)).toEqual([
      `  ${join(directory, '.env')} is not text in UTF-8. Save the file as UTF-8`,
    ])
  })
})

it.each([
  ['postgres://user:secret@/placard?host=/cloudsql/a:b:c', 'placard at /cloudsql/a:b:c'],
  ['postgres://user:secret@db.example:5433/placard', 'placard at db.example:5433'],
  ['postgres:///placard', 'placard at this machine'],
])(
  "contract Settings: a command prints the database's address without its password: %s",
  (url, place) => {
    const store = postgresStore(url)
    expect(placeOf({ kind: 'postgres', url })).toBe(place)
    return store.close()
  },
)
