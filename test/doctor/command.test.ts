import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, type TestContext, vi } from 'vitest'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import { afterTest } from '../after-file.ts'
import { skipAloud } from '../aloud.ts'
import { serving, start } from '../command-line.ts'
import { SECRETS } from '../harness.ts'
import { ownDisk } from '../own-disk.ts'
import { listen } from '../raw.ts'
import { temporaryDirectory } from '../stores.ts'
import { expectNamed, type Named } from './faults/fault.ts'
import { open, patient } from './stage.ts'

/** Fakes the timers and timeouts of this test, which moves the time itself. */
function movedTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const late = new AbortController()
    setTimeout(() => late.abort(), ms)
    return late.signal
  })
  afterTest(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const began = performance.now()
  return { passed: () => performance.now() - began }
}

describe('placard doctor', () => {
  it('contract R12: changes nothing that the service stores', async () => {
    const served = await patient()
    const file = join(served.directory, 'data', 'placard.db')
    const database = open(new DatabaseSync(file))
    const tables = database
      .prepare(`select name from sqlite_master where type = 'table'`)
      .all()
      .map(({ name }) => String(name))
    const rows = () => tables.map((name) => database.prepare(`select * from "${name}"`).all())
    const before = rows()
    await diagnose(served)
    expect(tables).toContain('placard_event')
    expect(rows()).toEqual(before)
  })

  it('contract R12: prints each finding with its fix, or JSON, and exits with 1 if a check failed', async () => {
    const { environment, directory } = await patient()
    const settings = { PORT: String(environment.PORT) }
    const run = (...args: string[]) => start(directory, settings, ['doctor', ...args]).finished
    const nowhere = run('--url', 'http://127.0.0.1:1')
    const [well, json, unwell] = await Promise.all([run(), run('--json'), nowhere])
    expect(well.stdout).toMatch(/^(pass|skip|warn|fail) {2}node {11}Node \d+/)
    expect(well.stdout).toMatch(
      well.code === 0 ? /\n\n(No problems found|0 failed.*), \d+ skipped\.\n$/ : /failed/,
    )
    const { ok, findings } = JSON.parse(json.stdout)
    expect(json.code).toBe(ok ? 0 : 1)
    expect(findings[0]).toEqual({ check: 'node', status: 'pass', message: expect.any(String) })
    expect(unwell.code).toBe(1)
    expect(unwell.stdout).toMatch(/\nfail {2}service .*\n {21}→ Start the service/)
    expect(unwell.stdout).toMatch(/\n\n1 failed, 0 warned, \d+ skipped\.\n$/)
    for (const { stderr } of [well, json, unwell]) expect(stderr).toBe('')
    for (const name of ['event-api-secret', 'stripe-webhook-secret']) {
      const secret = readFileSync(join(directory, 'data', name), 'utf8').trim()
      for (const { stdout } of [well, json, unwell]) expect(stdout).not.toContain(secret)
    }
  })

  it('contract R12: takes under 5 s, even if only GET /healthz gets a response', async () => {
    const silent = await patient()
    const held = new Set<ServerResponse>()
    const server = createServer(({ url }, response) => {
      if (url === '/healthz') return response.end('{"ok":true}')
      held.add(response.on('close', () => held.delete(response)))
    })
    const url = `http://127.0.0.1:${await listen(server)}`
    const clock = movedTime()
    const diagnosis = diagnose({ ...silent, environment: SECRETS, url })
    let isDone = false
    void diagnosis.finally(() => {
      isDone = true
    })
    while (!isDone) {
      // Time passes only while a request waits for its response.
      if (held.size > 0) await vi.advanceTimersToNextTimerAsync()
      await new Promise(setImmediate)
    }
    expect(clock.passed()).toBeLessThan(4_700)
    const findings = await diagnosis
    expect(findings.filter(({ status }) => status === 'fail').length).toBeGreaterThan(0)
  })
})

describe("contract R12: the doctor finds this fault of the service's process, and no other fault", () => {
  /** Checks what the doctor finds in a service that is started with this prefix to its command. */
  async function expectOf(context: TestContext, words: string[], finds: Named, settings = {}) {
    const directory = temporaryDirectory()
    const runner = [...words, process.execPath]
    const served = await serving(directory, { PORT: '0', ...settings }, { runner })
    const { child, finished, url } = served
    const environment = { ...settings, PORT: new URL(url).port }
    await expectNamed(context, { directory, environment, holdMs: 100 }, finds)
    child.kill()
    await finished
  }

  it('an open-file limit below MAX_STREAMS', async (context) => {
    skipAloud(context, process.platform !== 'linux', 'prlimit on Linux')
    const message = /Only 768 streams .*10000.*open-file limit is 1024/
    const finds: Named = ['warn streams', message, /LimitNOFILE=10256/]
    await expectOf(context, ['prlimit', '--nofile=1024:1024'], finds)
  })

  it('an almost full disk', async (context) => {
    const disk = ownDisk('6m')
    skipAloud(context, !disk, 'mounts of its own (unshare, and the right to mount)')
    const message = /Only \d MiB are free on the disk that holds .*placard\.db/
    const finds: Named = ['fail disk', message, /Free some/]
    await expectOf(context, disk ?? [], finds, SECRETS)
  })
})
