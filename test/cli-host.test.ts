import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { localUrl } from '../src/cli/access.ts'
import { skipAloud } from './aloud.ts'
import { build, serving, start } from './command-line.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

it('contract Settings: commands ask the service where HOST says that it listens', async (context) => {
  const loopback = Object.values(networkInterfaces()).flat()
  skipAloud(context, !loopback.some((own) => own?.address === '::1'), 'IPv6')
  const directory = temporaryDirectory()
  writeFileSync(join(directory, '.env'), `HOST=::1\nPORT=${await freePort()}\n`)
  const service = await serving(directory, {})
  onTestFinished(() => void service.child.kill())

  const run = (...args: string[]) => start(directory, {}, args).finished
  expect(await run('publish', 'We have moved')).toMatchObject({ code: 0, stderr: '' })
  expect((await run('current')).stdout).toContain('We have moved')
  expect((await run('doctor')).stdout).toContain(`Placard answers at ${service.url}\n`)
  expect((await run('publish', '--help')).stdout).toContain(service.url)
})

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['fd00::2', 'http://[fd00::2]:3000'],
  ['192.0.2.7', 'http://192.0.2.7:3000'],
  ['localhost', 'http://localhost:3000'],
])('contract Settings: a service with HOST=%s is asked at %s', (host, url) => {
  expect(localUrl({ host, port: 3000 })).toBe(url)
})
