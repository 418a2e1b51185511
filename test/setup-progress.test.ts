import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { skipAloud } from './aloud.ts'
import { ROOT } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

const WAIT = { timeout: 20_000, interval: 20 }
const missing = spawnSync('script', ['--version']).error !== undefined

/** A registry that keeps each package back until it is told to let go of it. */
async function registry() {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'package'))
  writeFileSync(join(directory, 'package/package.json'), '{ "name": "any", "version": "1.0.0" }')
  const archive = execFileSync('tar', ['-czC', directory, 'package'])
  const freed = new EventEmitter()
  const server = createServer(({ url = '' }, response) => {
    freed.once(url.slice(1), () => response.end(archive))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const letGo = (name: string) => vi.waitFor(() => expect(freed.emit(name)).toBe(true), WAIT)
  return { url, letGo, close: () => server.close() }
}

/** A checkout with two packages to install and one for another machine, whose build waits for the file `go`. */
function checkout(url: string): string {
  const directory = temporaryDirectory()
  const put = (path: string, value: object) =>
    writeFileSync(join(directory, path), JSON.stringify(value))
  for (const folder of ['src', 'scripts']) mkdirSync(join(directory, folder))
  copyFileSync(join(ROOT, 'scripts/setup.mjs'), join(directory, 'scripts/setup.mjs'))
  const build = `node -e "setInterval(() => fs.existsSync('go') && process.exit(), 10)"`
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const dependencies = { first: '1.0.0', second: '1.0.0' }
  const optionalDependencies = { elsewhere: '1.0.0' }
  const ours = { name: 'ours', version: '1.0.0', dependencies, optionalDependencies }
  const postbuild = `node -e "fs.mkdirSync('dist');fs.writeFileSync('dist/.building','')" && ${scripts.postbuild}`
  put('package.json', { ...ours, scripts: { build, postbuild } })
  const fetched = (name: string) => ({ version: '1.0.0', resolved: `${url}/${name}` })
  put('package-lock.json', {
    ...ours,
    lockfileVersion: 3,
    packages: {
      '': ours,
      'node_modules/first': fetched('first'),
      'node_modules/second': fetched('second'),
      'node_modules/elsewhere': { ...fetched('none'), optional: true, os: ['plan9'] },
    },
  })
  return directory
}

/** The lines that a terminal shows after all that was written to it. */
function onScreen(written: string): string[] {
  return written.split('\r\n').map((line) =>
    line
      .split('\r')
      .reduce((shown, part) => part + shown.slice(part.length))
      .trimEnd(),
  )
}

it('npm start at a terminal shows the seconds that pass, and how many packages are in place', async (context) => {
  skipAloud(context, missing, 'a terminal of its own (script)')
  const { url, letGo, close } = await registry()
  const directory = checkout(url)
  const setup = spawn('script', ['-qefc', 'node scripts/setup.mjs', '/dev/null'], {
    cwd: directory,
    env: { ...process.env, npm_config_cache: join(directory, 'cache') },
  })
  const ended = once(setup, 'exit')
  let written = ''
  setup.stdout.setEncoding('utf8').on('data', (text) => {
    written += text
  })
  const shows = (line: RegExp) =>
    vi.waitFor(() => expect(onScreen(written).at(-1)).toMatch(line), WAIT)
  await shows(/^Installing packages … \d+ s, 0 of 2$/)
  await letGo('first')
  await shows(/^Installing packages … \d+ s, 1 of 2$/)
  await letGo('second')
  await shows(/^Building … \d+ s$/)
  writeFileSync(join(directory, 'go'), '')
  expect(await ended, written).toEqual([0, null])
  expect(onScreen(written)).toEqual([
    expect.stringMatching(/^Installing packages … [\d.]+ s$/),
    expect.stringMatching(/^Building … [\d.]+ s$/),
    '',
  ])
  close()
})
