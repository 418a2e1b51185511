import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start, type Target } from './processes.ts'

const app = join(import.meta.dirname, 'next')
const next = join(app, 'node_modules/next/dist/bin/next')

/** The Next.js app in bench/next on a port, on the core of servers; installed and built if it isn't yet. */
export async function startNextReference(port: number): Promise<Target> {
  if (older('node_modules/.package-lock.json', 'package-lock.json')) {
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  }
  if (older('.next/BUILD_ID', 'app/api/events/route.js', 'node_modules/.package-lock.json')) {
    run('node', [next, 'build'])
  }
  const directory = mkdtempSync(join(tmpdir(), 'placard-bench-next-'))
  const target = await start(port, ['node', next, 'start', '-p', String(port)], app, {
    DATABASE: join(directory, 'events.db'),
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  })
  return {
    ...target,
    async stop() {
      await target.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Whether a result is missing, or older than what it is made from. */
function older(result: string, ...sources: string[]): boolean {
  const changedAt = (file: string) => statSync(join(app, file)).mtimeMs
  return !existsSync(join(app, result)) || sources.some((it) => changedAt(it) > changedAt(result))
}

function run(command: string, args: string[]): void {
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  execFileSync(command, args, {
    cwd: app,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
