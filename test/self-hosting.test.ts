import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/local/config.ts'
import { skipAloud } from './aloud.ts'
import { serving } from './command-line.ts'
import { API_SECRET, httpMount, notify, publish, SECRETS, withdraw } from './harness.ts'
import { blockAfter, read } from './printed.ts'
import { temporaryDirectory } from './stores.ts'
import { KEY, startFakeStripe } from './stripe/fake.ts'

const unit = blockAfter('docs/self-hosting.md', '`/etc/systemd/system/placard.service`')
const allowed = (setting: string) =>
  (new RegExp(`^${setting}=(.*)$`, 'm').exec(unit)?.[1] ?? '').split(' ')

const analyze = (...args: string[]) =>
  spawnSync('systemd-analyze', args, { encoding: 'utf8', env: { ...process.env, LANG: 'C' } })

/** The system calls in one of systemd's sets, which list calls and other sets. */
function callsOf(set: string): string[] {
  const lines = analyze('syscall-filter', set).stdout.match(/^ +[@\w-]+$/gm) ?? []
  return lines.flatMap((line) => (line.includes('@') ? callsOf(line.trim()) : line.trim()))
}

describe('the systemd unit in docs/self-hosting.md', () => {
  const verify = (unit: string) => {
    const file = join(temporaryDirectory(), 'placard.service')
    writeFileSync(file, unit)
    const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', file])
    // The command checks the machine's other units too.
    const output = String(stderr).match(/^.*placard\.service.*$/gm) ?? []
    return { missing: error !== undefined, status, output: output.join('\n') }
  }

  it('passes systemd-analyze verify', (context) => {
    skipAloud(context, verify('').missing, 'systemd-analyze')
    expect(verify(unit)).toMatchObject({ status: 0, output: '' })
    // Mistakes in the unit are found.
    expect(verify(unit.replace('ProtectHome', 'ProtectHouse')).output).toContain('ProtectHouse')
    expect(verify(unit.replace('/usr/bin/env', '/usr/bin/evn')).status).not.toBe(0)
  })

  it('has an exposure level below 3 out of 10', (context) => {
    skipAloud(context, analyze('--version').error !== undefined, 'systemd-analyze')
    const file = join(temporaryDirectory(), 'placard.service')
    const level = (text: string) => {
      writeFileSync(file, text)
      const { stdout } = analyze('security', '--offline=true', '--no-pager', file)
      return Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
    }
    expect(level(unit)).toBeLessThan(3)
    expect(level(unit.replace('SystemCallFilter', '#'))).toBeGreaterThan(level(unit))
  })

  it('allows every system call and socket that the service uses', async (context) => {
    const able = spawnSync('strace', ['-D', '-f', '-o', '/dev/null', 'true']).status === 0
    skipAloud(context, !able, 'strace, and the right to trace')
    skipAloud(context, analyze('--version').error !== undefined, 'systemd-analyze')
    const directory = temporaryDirectory()
    const trace = join(directory, 'trace')
    const stripe = await startFakeStripe(Date.now)
    const service = await serving(
      directory,
      {
        PORT: '0',
        ...SECRETS,
        STRIPE_API_KEY: KEY,
        // A host name, so that the service looks it up.
        STRIPE_API_URL: stripe.url.replace('127.0.0.1', 'localhost'),
      },
      { runner: ['strace', '-D', '-f', '-qq', '-s', '20', '-o', trace, process.execPath] },
    )
    const mount = httpMount(service.url)
    expect((await publish(mount)).status).toBe(201)
    expect((await notify(mount, stripe.create({ id: 'FRIDAY' }))).status).toBe(200)
    expect((await withdraw(mount, { type: 'post' })).status).toBe(200)
    const open = new AbortController()
    await mount.fetch('/api/events/stream', { signal: open.signal })
    const headers = { Authorization: `Bearer ${API_SECRET}` }
    for (const path of ['/', '/admin', '/metrics', '/api/doctor', '/readyz'])
      expect((await mount.fetch(path, { headers })).status, path).toBe(200)
    open.abort()
    service.child.kill()
    await service.finished
    await stripe.close()

    const lines = readFileSync(trace, 'utf8')
    const calls = new Set([...lines.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = '']) => name))
    expect(calls.size).toBeGreaterThan(40)
    const admitted = new Set(allowed('SystemCallFilter').flatMap(callsOf))
    expect([...calls].filter((name) => !admitted.has(name))).toEqual([])
    const families = new Set([...lines.matchAll(/ socket\((AF_\w+)/g)].map(([, family]) => family))
    expect(families).toContain('AF_INET')
    // When the C library looks up a name, it asks the kernel for the machine's addresses, but works without them.
    const known = [...allowed('RestrictAddressFamilies'), 'AF_NETLINK']
    expect([...families].filter((family) => !known.includes(family ?? ''))).toEqual([])
  })

  /**
   * The settings file as systemd reads it (systemd.exec(5), EnvironmentFile): comments are separate lines, and
   * everything after the first `=` is the value.
   */
  const settings = Object.fromEntries(
    blockAfter('docs/self-hosting.md', '`/etc/placard.env`')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.includes('=') && !/^[#;]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).trim()]),
  )

  it('contract Settings: has a settings file that is valid once the secret is filled in', () => {
    const filled = { ...settings, EVENT_API_SECRET: 'x'.repeat(48) }
    expect(readConfig(filled, temporaryDirectory())).toMatchObject({
      production: true,
      database: { kind: 'sqlite', path: '/var/lib/placard/placard.db' },
      stripeWebhookSecret: null,
      trustProxy: 1,
    })
    // Until then, the error names only what is missing.
    expect(() => readConfig(settings, temporaryDirectory())).toThrow(
      new ConfigError([
        'EVENT_API_SECRET is required when NODE_ENV=production: at least 16 characters, e.g. from `openssl rand -hex 24`',
      ]),
    )
  })
})

it('the container image has everything that the package has except documents, and its build gets no file that may hold a secret', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const image = read('Containerfile')
  const copied: string[] = image.match(/(?<=\/build\/)[\w-]+/g) ?? []
  const sources = image.match(/(?<=^COPY (?:[^-\s]\S* )*)\w\S*(?= )/gm) ?? []
  // All but the documents, which nothing in the image reads.
  const packed = files.filter((file) => !/^!|\.md$/.test(file))
  expect(packed.filter((file) => !copied.includes(file))).toEqual([])
  const [all, ...admitted] = read('.dockerignore').match(/^[^#\s].*$/gm) ?? []
  expect(all).toBe('*')
  // Every copied file is built in the image or admitted by .dockerignore.
  const missing = [...copied, ...sources].filter(
    (file) => file !== 'dist' && !admitted.some((rule) => rule.startsWith(`!${file}`)),
  )
  expect(missing).toEqual([])
  expect(admitted.filter((rule) => /env|data|\*/.test(rule))).toEqual([])
})
