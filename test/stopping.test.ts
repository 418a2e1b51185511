import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { skipAloud } from './aloud.ts'
import { ROOT, serving } from './command-line.ts'
import { DRAFT, SECRETS } from './harness.ts'
import { raw, wire, writeHeaders } from './raw.ts'
import { running } from './running.ts'
import { soon } from './soon.ts'
import { temporaryDirectory } from './stores.ts'

const BODY = JSON.stringify(DRAFT)
const READ = wire('GET /api/events')
const STREAM = wire('GET /api/events/stream')

/** A write whose body hasn't arrived yet. Once a later request has its response, the write has been accepted. */
async function halfSent(url: string) {
  const { port } = new URL(url)
  const client = await raw(Number(port), wire('POST /api/events', writeHeaders(BODY.length)))
  await fetch(`http://127.0.0.1:${port}/healthz`)
  return client
}

/** Checks that the service finishes an accepted write and exits with 0, even if the signal is repeated until the end. */
async function finishes(
  service: Awaited<ReturnType<typeof serving>>,
  stop: (pid: number) => unknown,
) {
  const { child, output, finished, url } = service
  const { send, received } = await halfSent(url)
  stop(Number(child.pid))
  await soon(() => expect(output.stdout).toContain('"stopping"'))
  stop(Number(child.pid))
  const again = setInterval(() => {
    try {
      stop(Number(child.pid))
    } catch {
      // The service has ended, but the test hasn't noticed yet.
    }
  }, 1)
  send(BODY)
  const ended = await finished.finally(() => clearInterval(again))
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(received()).toMatch(/^HTTP\/1\.1 201 /)
  expect(output.stdout).toContain('"stopped"')
}

const environment = { PORT: '0', ...SECRETS }

/** The machine's own Node, if that is older than the pinned one. */
const older = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'node'))
  .filter((file) => !file.includes('node_modules') && existsSync(file))
  .find((file) => Number.parseInt(String(execFileSync(file, ['-v'])).slice(1), 10) < 24)

describe('a service that gets a signal to stop', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'contract A12: after %s, even if repeated, finishes accepted requests and exits with 0',
    async (signal) => {
      const service = await serving(temporaryDirectory(), environment)
      await finishes(service, (pid) => process.kill(pid, signal))
    },
  )

  it('contract A12: also finishes its requests on an older Node, when a terminal sends SIGINT to the whole process group', async (context) => {
    skipAloud(context, older === undefined, 'a Node older than 24')
    const service = await serving(temporaryDirectory(), environment, {
      runner: older === undefined ? undefined : [older],
      detached: true,
    })
    await finishes(service, (pid) => process.kill(-pid, 'SIGINT'))
  })
})

it('contract A12: SIGTERM to `npm start` stops the service', async () => {
  const { PATH = '' } = process.env
  const url = `file:${join(temporaryDirectory(), 'placard.db')}`
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { PATH, ...environment, DATABASE_URL: url },
    // So that a failed test leaves nothing running.
    detached: true,
  })
  let said = ''
  npm.stdout.on('data', (chunk) => {
    said += chunk
  })
  // The service keeps the output open as long as it runs.
  const closed = once(npm, 'close')
  try {
    await soon(() => expect(said).toContain('"listening"'))
    npm.kill()
    await closed
  } finally {
    if (npm.exitCode === null) process.kill(-Number(npm.pid), 'SIGKILL')
  }
  expect(said).toContain('"stopped"')
})

it('contract A12: a service stopped right after it reports that it is listening exits with 0', async () => {
  const plant = `
    const { stdout } = process
    const { write } = stdout
    stdout.write = (text, ...rest) => {
      const more = write.call(stdout, text, ...rest)
      if (String(text).includes('"listening"')) process.kill(process.pid, 'SIGTERM')
      return more
    }`
  const { finished } = await serving(temporaryDirectory(), {
    ...environment,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}`,
  })
  const { code, stdout } = await finished
  expect(code).toBe(0)
  expect(stdout).toContain('"stopped"')
})

/** Lets a test decide how much time passes. */
function fakeTime() {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  onTestFinished(() => void vi.useRealTimers())
}

/** Lets time pass, and everything that this triggers happen. */
async function pass(ms: number) {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a stopping service', () => {
  it('contract R4: returns 503 for a new stream', async () => {
    const server = await running()
    const { send, answers } = await halfSent(server.service.url)
    const reader = await raw(server.port, READ)
    await reader.answers(1)
    const stopped = server.close()
    // The service has begun to stop after one turn of the event loop.
    await new Promise(setImmediate)
    reader.send(STREAM)
    expect(await reader.answers(2)).toMatch(/HTTP\/1\.1 503 [\s\S]*"error"/)
    send(BODY)
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 201 /)
    await stopped
  })

  it('contract A12: cuts off unfinished requests after 10 s, and not before', async () => {
    const server = await running()
    const { closed } = await halfSent(server.service.url)
    fakeTime()
    const over: string[] = []
    const stopped = server.close().then(() => over.push('stopped'))
    const cut = closed.then(() => over.push('cut off'))
    await pass(9_999)
    expect(over).toEqual([])
    await pass(1)
    vi.useRealTimers()
    await Promise.all([stopped, cut])
  })

  it('contract A12: sends a busy client one more response, then disconnects it', async () => {
    const server = await running()
    const { send, received, closed } = await halfSent(server.service.url)
    const stopped = server.close()
    await new Promise(setImmediate)
    send(BODY)
    await Promise.all([stopped, closed])
    expect(received()).toMatch(/^HTTP\/1\.1 201 [\s\S]*\r\nconnection: close/i)
  })

  it('contract A12: handles a request that a proxy sends just as the service begins to stop', async () => {
    fakeTime()
    const server = await running()
    const { send, answers, closed } = await raw(server.port, READ)
    await answers(1)
    // Long enough for the connection to count as idle before the stop.
    await pass(2_300)
    const stopped = server.close()
    await pass(200)
    send(READ)
    expect(await answers(2)).toMatch(
      /HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 [\s\S]*connection: close/i,
    )
    vi.useRealTimers()
    await Promise.all([stopped, closed])
  })

  it("contract A12, R4: isn't delayed by connections without a request in progress", async () => {
    const server = await running()
    const clients = await Promise.all(
      ['', 'GET /api/ev', READ, STREAM].map(async (bytes) => {
        const client = await raw(server.port, bytes)
        if (bytes.endsWith('\r\n\r\n')) await client.answers(1)
        // An empty line and the beginning of a request aren't a whole request.
        if (bytes === READ) client.send('\r\nGET /api/ev')
        return client
      }),
    )
    // Once a later request has its response, all of these have been accepted.
    await server.fetch('/healthz')
    // If the service waited for one of them, it would never stop, because this clock stands still.
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await server.close()
    await Promise.all(clients.map(({ closed }) => closed))
  })
})

/** All printed lines, each of which must be a log line. */
function logged({ stdout, stderr }: { stdout: string; stderr: string }) {
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; msg: string })
}

it('contract R6: SIGUSR1 and SIGUSR2 neither open an inspector nor end the service, and stopping prints only log lines', async () => {
  const service = await serving(temporaryDirectory(), { PORT: '0' })
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) service.child.kill(signal)
  // Once later requests have their responses, the signals have been delivered.
  for (let count = 0; count < 20; count++) {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  }
  for (const path of ['stream', 'stream?x', '%73tream', 'stream?again']) {
    const { send, answers } = await raw(Number(new URL(service.url).port))
    send(wire(`GET /api/events/${path}`))
    expect(await answers(1), path).toMatch(/^HTTP\/1\.1 200 /)
  }
  service.child.kill('SIGTERM')
  const finished = await service.finished
  expect(finished.code).toBe(0)
  expect(logged(finished).map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped'])
})

it("contract R6: Node's own warnings and fatal errors are log lines", async () => {
  const plant = `process
    .on('SIGUSR2', () => process.emitWarning('a warning that was planted'))
    .on('SIGWINCH', () => setImmediate(() => { throw new Error('a fault that was planted') }))`
  const service = await serving(temporaryDirectory(), {
    PORT: '0',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}`,
  })
  service.child.kill('SIGUSR2')
  await soon(() => expect(service.output.stdout).toContain('a warning that was planted'))
  service.child.kill('SIGWINCH')
  const finished = await service.finished
  expect(finished.code).toBe(1)
  expect(logged(finished)).toMatchObject([
    { msg: 'listening' },
    { level: 40, error: { message: 'a warning that was planted' } },
    { level: 60, error: { message: 'a fault that was planted' } },
  ])
})
