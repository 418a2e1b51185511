import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, it, vi } from 'vitest'
import { build, serving } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

/** Every line that was printed, each of which must be one of the log's. */
function logged({ stdout, stderr }: { stdout: string; stderr: string }) {
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; msg: string })
}

it('contract R6: streams that a stop ends print nothing past the log', async () => {
  const service = await serving(temporaryDirectory(), { PORT: '0' })
  for (const path of ['stream', 'stream?x', '%73tream', 'stream?again']) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`GET /api/events/${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [chunk] = await once(socket, 'data')
    expect(String(chunk), path).toMatch(/^HTTP\/1\.1 200 /)
  }
  service.child.kill('SIGTERM')
  const finished = await service.finished
  expect(finished.code).toBe(0)
  expect(logged(finished).map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped'])
})

it('contract R6: what Node itself warns of, or ends with, is a line of the log', async () => {
  const plant = `process
    .on('SIGUSR2', () => process.emitWarning('a warning that was planted'))
    .on('SIGWINCH', () => setImmediate(() => { throw new Error('a fault that was planted') }))`
  const service = await serving(temporaryDirectory(), {
    PORT: '0',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}`,
  })
  service.child.kill('SIGUSR2')
  await vi.waitFor(() => expect(service.output.stdout).toContain('a warning that was planted'))
  service.child.kill('SIGWINCH')
  const finished = await service.finished
  expect(finished.code).toBe(1)
  expect(logged(finished)).toMatchObject([
    { msg: 'listening' },
    { level: 40, error: { message: 'a warning that was planted' } },
    { level: 60, error: { message: 'a fault that was planted' } },
  ])
})

it('contract R6: the signals that open an inspector or end a process do neither', async () => {
  const service = await serving(temporaryDirectory(), { PORT: '0' })
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) service.child.kill(signal)
  // Each has been delivered by the time a request is answered that was sent after it.
  for (let count = 0; count < 20; count++) {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  }
  service.child.kill()
  expect(logged(await service.finished).map(({ msg }) => msg)).toEqual([
    'listening',
    'stopping',
    'stopped',
  ])
})
