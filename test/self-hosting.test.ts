import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/server/config.ts'
import { skipAloud } from './aloud.ts'
import { blockAfter } from './printed.ts'
import { temporaryDirectory } from './stores.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

describe('the unit for systemd', () => {
  const verify = (unit: string) => {
    const file = join(temporaryDirectory(), 'placard.service')
    writeFileSync(file, unit)
    const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', file])
    // It looks at the machine's other units too.
    const output = String(stderr).match(/^.*placard\.service.*$/gm) ?? []
    return { missing: error !== undefined, status, output: output.join('\n') }
  }
  const unit = blockAfter('docs/self-hosting.md', '`/etc/systemd/system/placard.service`')

  it('has nothing that systemd-analyze verify finds', (context) => {
    skipAloud(context, verify('').missing, 'systemd-analyze')
    expect(verify(unit)).toMatchObject({ status: 0, output: '' })
    // It does find things.
    expect(verify(unit.replace('ProtectHome', 'ProtectHouse')).output).toContain('ProtectHouse')
    expect(verify(unit.replace('/usr/bin/env', '/usr/bin/evn')).status).not.toBe(0)
  })

  /**
   * A file as systemd reads it (systemd.exec(5), EnvironmentFile): comments are lines of their own, and everything behind
   * the first `=` is the value.
   */
  const settings = Object.fromEntries(
    blockAfter('docs/self-hosting.md', '`/etc/placard.env`')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.includes('=') && !/^[#;]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).trim()]),
  )

  it('contract Settings: its settings start the service once the secret is filled in', () => {
    const filled = { ...settings, EVENT_API_SECRET: 'x'.repeat(48) }
    expect(readConfig(filled, temporaryDirectory())).toMatchObject({
      production: true,
      database: { kind: 'sqlite', path: '/var/lib/placard/placard.db' },
      stripeWebhookSecret: null,
      trustProxy: 1,
    })
    // Until then what is missing is named, and nothing else.
    expect(() => readConfig(settings, temporaryDirectory())).toThrow(
      new ConfigError([
        'EVENT_API_SECRET is required when NODE_ENV=production: at least 16 characters, e.g. from `openssl rand -hex 24`',
      ]),
    )
  })
})

describe('the image', () => {
  it('has all that the package has, and is built from nothing that may hold a secret', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] }
    const copied: string[] = read('Containerfile').match(/(?<=\/build\/)[\w-]+/g) ?? []
    // But for the guides, which nothing in it reads.
    const packed = files.filter((file) => !/^!|^docs\//.test(file))
    expect(packed.filter((file) => !copied.includes(file))).toEqual([])
    const [all, ...admitted] = read('.dockerignore').match(/^[^#\s].*$/gm) ?? []
    expect(all).toBe('*')
    // What is copied is made in the build, or let in.
    const missing = copied.filter(
      (file) => file !== 'dist' && !admitted.some((rule) => rule.startsWith(`!${file}`)),
    )
    expect(missing).toEqual([])
    expect(admitted.filter((rule) => /env|data|\*/.test(rule))).toEqual([])
  })
})
