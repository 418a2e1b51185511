import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/local/config.ts'
import {
  existingSecret,
  existingServiceId,
  secretValue,
  serviceId,
} from '../src/local/secret-files.ts'
import { skipAloud } from './aloud.ts'
import { collectedLog } from './harness.ts'
import { emptyDatabase } from './postgres/place.ts'
import { running } from './running.ts'
import { temporaryDirectory } from './stores.ts'

const place = () => join(temporaryDirectory(), 'data', 'event-api-secret')
const MODULE = JSON.stringify(new URL('../src/local/secret-files.ts', import.meta.url))

it('contract Settings: a secret is generated once, stored, and long enough', async () => {
  const file = place()
  expect(existingSecret({ file })).toBeUndefined()
  const made = await secretValue({ file }, 'whsec_')
  expect(made).toMatch(/^whsec_[0-9a-f]{48}$/)
  expect([await secretValue({ file }, 'whsec_'), existingSecret({ file })]).toEqual([made, made])
  expect(readFileSync(file, 'utf8').trim()).toBe(made)
  expect(await secretValue({ file: place() })).not.toBe(made)
})

it.each([
  ['nothing in it', ''],
  ['a secret that is too short', 'hunter2\n'],
  ['several words', 'correct horse battery staple'],
])(
  "contract A4: the error for a secret file with %s names the file and the fix, and the file isn't changed",
  async (_, text) => {
    const file = join(temporaryDirectory(), 'event-api-secret')
    writeFileSync(file, text)
    for (const read of [secretValue, existingSecret]) {
      const reading = (async () => read({ file }))()
      await expect(reading).rejects.toThrow(ConfigError)
      await expect(reading).rejects.toThrow(new RegExp(`${file}.* delete the file`))
      await expect(reading).rejects.not.toThrow(/hunter2|staple/)
    }
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)

it('contract Settings: a secret that a person put into the file is used, with a warning and a chmod command if others have access', async () => {
  const file = join(temporaryDirectory(), 'event-api-secret')
  const warned = async () => {
    const log = collectedLog()
    expect(await secretValue({ file }, '', log)).toBe('chosen-by-a-person')
    expect(JSON.stringify(log.lines)).not.toContain('chosen')
    return log.lines.map(({ level, message }) => `${level}: ${message}`)
  }
  writeFileSync(file, '  chosen-by-a-person \n')
  for (const mode of [0o644, 0o640, 0o604, 0o622]) {
    chmodSync(file, mode)
    expect(await warned()).toEqual([
      `warn: other users have access to this secret: chmod 600 '${file}'`,
    ])
  }
  chmodSync(file, 0o600)
  expect(await warned()).toEqual([])
})

it("contract Settings: processes with the same pid that start together, as in two containers, share the file's secret", async () => {
  const [rounds, count] = [40, 2]
  const directory = temporaryDirectory()
  const files = Array.from({ length: rounds }, (_, i) => join(directory, `${i}`, 'secret'))
  // Threads share the pid of their process. Each thread waits for the others before it creates a file.
  const program = `
    const { parentPort, workerData: { files, shared } } = require('node:worker_threads')
    const arrived = new Int32Array(shared)
    import(${MODULE}).then(async ({ secretValue }) => {
      for (const [i, file] of files.entries()) {
        Atomics.add(arrived, i, 1)
        while (Atomics.load(arrived, i) < ${count}) {}
        let held
        try {
          held = await secretValue({ file })
        } catch (error) {
          held = error.message
        }
        parentPort.postMessage({ file, held })
      }
    })`
  const shared = new SharedArrayBuffer(rounds * Int32Array.BYTES_PER_ELEMENT)
  const all: { file: string; held: string }[] = []
  const workers = Array.from({ length: count }, () =>
    new Worker(program, { eval: true, workerData: { files, shared } }).on('message', (held) =>
      all.push(held),
    ),
  )
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  expect(all).toHaveLength(rounds * count)
  const wrong = all.filter(({ file, held }) => held !== readFileSync(file, 'utf8').trim())
  expect(wrong).toEqual([])
  expect(readdirSync(directory, { recursive: true })).toHaveLength(rounds * 2)
})

it('contract Settings: a secret and its file name are on disk before it is used', async (context) => {
  const able = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
  skipAloud(context, !able, 'strace, and the right to trace')
  const file = place()
  const trace = join(temporaryDirectory(), 'trace')
  const program = `(await import(${MODULE})).secretValue({ file: ${JSON.stringify(file)} })`
  const calls = 'trace=write,link,linkat,fsync'
  const node = [process.execPath, '--input-type=module', '-e', program]
  expect(spawnSync('strace', ['-f', '-y', '-e', calls, '-o', trace, ...node]).status).toBe(0)
  const seen = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes(dirname(file)))
    .map((line) => /^\d+ +(\w+)\(/.exec(line)?.[1])
  expect(seen).toEqual(['write', 'fsync', expect.stringMatching(/^link/), 'fsync'])
})

it('contract Settings: a service id is generated once, and stored beside the database and the secrets', async () => {
  const { database, apiSecret } = readConfig({}, temporaryDirectory())
  if (!('path' in database && 'file' in apiSecret)) throw new Error('expected two files')
  expect(existingServiceId(database.path)).toBeUndefined()
  const id = await serviceId(database.path)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect([await serviceId(database.path), existingServiceId(apiSecret.file)]).toEqual([id, id])
  const file = join(dirname(apiSecret.file), 'service-id')
  expect(readFileSync(file, 'utf8')).toBe(`${id}\n`)
  expect(await serviceId(place())).not.toBe(id)
})

it.each(['', '2b1d0c52'])(
  'contract Settings: the error for the invalid service id %j in the file says to delete the file',
  async (text) => {
    const path = place()
    mkdirSync(dirname(path))
    writeFileSync(join(dirname(path), 'service-id'), text)
    for (const read of [serviceId, existingServiceId]) {
      const reading = (async () => read(path))()
      await expect(reading).rejects.toThrow(ConfigError)
      await expect(reading).rejects.toThrow(/contains no valid service id\. Delete the file/)
    }
  },
)

it('contract Settings: GET /healthz returns the service id, except on Postgres, which has none', async () => {
  const path = place()
  for (const [DATABASE_URL, expected] of [
    [`file:${path}`, { id: expect.any(String) }],
    [`file:${path}`, { id: expect.toSatisfy((id) => id === existingServiceId(path)) }],
    [await emptyDatabase(), {}],
  ] as const) {
    const server = await running({ DATABASE_URL })
    const answer = await server.fetch('/healthz')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await answer.json()).toEqual({ ok: true, forwarded: 0, ...expected })
    await server.close()
  }
})
