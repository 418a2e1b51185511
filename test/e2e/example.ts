import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { freePort } from '../free-port.ts'
import { API_SECRET, STRIPE_SECRET } from '../harness.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the example is served. */
    url: string
    /** Its database: another process writes to it too. */
    database: string
  }
}

/** Serves examples/nextjs as `npm run example:next` does, on an empty database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'placard-e2e-'))
  const database = join(directory, 'placard.db')
  const url = `http://127.0.0.1:${port}`
  const served = spawn('node', ['scripts/example-next.mjs'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: `file:${database}`,
      EVENT_API_SECRET: API_SECRET,
      STRIPE_WEBHOOK_SECRET: STRIPE_SECRET,
      TRUST_PROXY: '1',
    },
  })
  const ended = once(served, 'exit')
  while (!(await fetch(`${url}/en`).catch(() => undefined))?.ok) {
    if (served.exitCode !== null) throw new Error('The example does not start')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  project.provide('url', url)
  project.provide('database', database)
  return async () => {
    served.kill()
    await ended
    rmSync(directory, { recursive: true })
  }
}
