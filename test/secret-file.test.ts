import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { ConfigError } from '../src/server/config.ts'
import { existingSecret, secretValue } from '../src/server/kept-files.ts'
import { skipAloud } from './aloud.ts'
import { collectedLog } from './harness.ts'
import { running } from './running.ts'
import { temporaryDirectory } from './stores.ts'

const place = () => join(temporaryDirectory(), 'data', 'event-api-secret')

it('contract Settings: a secret is made once, kept with mode 0600, and long enough', () => {
  const file = place()
  expect(existingSecret({ file })).toBeUndefined()
  const umask = process.umask(0)
  const made = secretValue({ file }, 'whsec_')
  process.umask(umask)
  expect(made).toMatch(/^whsec_[0-9a-f]{48}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(secretValue({ file }, 'whsec_')).toBe(made)
  expect(existingSecret({ file })).toBe(made)
  expect(readFileSync(file, 'utf8').trim()).toBe(made)
  expect(secretValue({ file: place() })).not.toBe(made)
})

it('contract Settings: a secret that is given is used, and nothing is written', () => {
  expect(secretValue({ value: 'given' })).toBe('given')
  expect(existingSecret({ value: 'given' })).toBe('given')
})

it('contract Settings: a file that somebody else wrote is kept as it is', () => {
  const file = join(temporaryDirectory(), 'secret')
  writeFileSync(file, '  chosen-by-a-person \n')
  expect(secretValue({ file })).toBe('chosen-by-a-person')
})

it('contract O4: the admin names the file that the secret is in, wherever the database is', async () => {
  const file = place()
  const DATABASE_URL = `file:${join(dirname(file), 'bar.db')}`
  const server = await running({ EVENT_API_SECRET: '', DATABASE_URL })
  const secret = readFileSync(file, 'utf8').trim()
  const { admin, ...reach } = { admin: `${server.service.url}/admin`, redirect: 'manual' as const }
  const headers = { 'Sec-Fetch-Site': 'same-origin' }
  const body = new URLSearchParams({ secret })
  const signedIn = await fetch(`${admin}/session`, { method: 'POST', headers, body, ...reach })
  const [cookie = ''] = signedIn.headers.getSetCookie()
  const page = await (await fetch(`${admin}/site`, { headers: { cookie } })).text()
  expect(page).toContain(`EVENT_API_SECRET=$(cat ${file})`)
  expect(page).not.toContain(secret)
  await server.close()
})

it.each([
  ['nothing', ''],
  ['white space', ' \n'],
  ['commas', ' , ,'],
  ['too little', 'hunter2\n'],
  ['two words', 'correct horse battery staple'],
])('contract A4: a file that has %s in it is named, with what to do, and kept', (_, text) => {
  const file = join(temporaryDirectory(), 'event-api-secret')
  writeFileSync(file, text)
  for (const read of [secretValue, existingSecret]) {
    expect(() => read({ file })).toThrow(ConfigError)
    expect(() => read({ file })).toThrow(new RegExp(`${file}.* delete the file`))
    expect(() => read({ file })).not.toThrow(/hunter2|staple/)
  }
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('contract Settings: a file that others can read is warned of, with the command that mends it', () => {
  const file = join(temporaryDirectory(), 'event-api-secret')
  const warned = () => {
    const log = collectedLog()
    expect(secretValue({ file }, '', log)).toBe('chosen-by-a-person')
    expect(JSON.stringify(log.lines)).not.toContain('chosen')
    return log.lines.map(({ level, message }) => `${level}: ${message}`)
  }
  writeFileSync(file, 'chosen-by-a-person\n')
  for (const mode of [0o644, 0o640, 0o604, 0o622]) {
    chmodSync(file, mode)
    expect(warned()).toEqual([`warn: other users have access to this secret: chmod 600 '${file}'`])
  }
  chmodSync(file, 0o600)
  expect(warned()).toEqual([])
  const made = collectedLog()
  secretValue({ file: place() }, '', made)
  expect(made.lines).toEqual([])
})

it('contract Settings: processes of one pid that start at once, as in two containers, hold what the file has', async () => {
  const rounds = 40
  const directory = temporaryDirectory()
  const files = Array.from({ length: rounds }, (_, i) => join(directory, `${i}`, 'secret'))
  const module = JSON.stringify(new URL('../src/server/kept-files.ts', import.meta.url))
  // Threads of a process have its pid. Each waits for the others before each file.
  const program = `
    const { parentPort, workerData: { files, count, shared } } = require('node:worker_threads')
    const arrived = new Int32Array(shared)
    import(${module}).then(({ secretValue }) => {
      for (const [i, file] of files.entries()) {
        Atomics.add(arrived, i, 1)
        while (Atomics.load(arrived, i) < count) {}
        let held
        try {
          held = secretValue({ file })
        } catch (error) {
          held = error.message
        }
        parentPort.postMessage({ file, held })
      }
    })`
  const count = 2
  const shared = new SharedArrayBuffer(rounds * Int32Array.BYTES_PER_ELEMENT)
  const workerData = { files, count, shared }
  const workers = Array.from(
    { length: count },
    () => new Worker(program, { eval: true, workerData }),
  )
  const all: { file: string; held: string }[] = []
  for (const worker of workers) worker.on('message', (held) => all.push(held))
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  expect(all).toHaveLength(rounds * count)
  const wrong = all.filter(({ file, held }) => held !== readFileSync(file, 'utf8').trim())
  expect(wrong).toEqual([])
  expect(readdirSync(directory, { recursive: true })).toHaveLength(rounds * 2)
})

it('contract Settings: a secret is on the disk, and its name too, before it is used', async (context) => {
  const able = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
  skipAloud(context, !able, 'strace, and the right to trace')
  const file = place()
  const trace = join(temporaryDirectory(), 'trace')
  const module = JSON.stringify(new URL('../src/server/kept-files.ts', import.meta.url))
  const program = `(await import(${module})).secretValue({ file: ${JSON.stringify(file)} })`
  const calls = 'trace=write,link,linkat,fsync'
  const node = [process.execPath, '--input-type=module', '-e', program]
  expect(spawnSync('strace', ['-f', '-y', '-e', calls, '-o', trace, ...node]).status).toBe(0)
  const folder = dirname(file)
  const seen = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => /^\d+ +(\w+)\(/.exec(line)?.[1])
  expect(seen).toEqual(['write', 'fsync', expect.stringMatching(/^link/), 'fsync'])
})
