import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { SECRETS } from '../harness.ts'
import { serve } from './serve.ts'

/** Installing and building take less than a minute, and much longer on a busy machine. */
const START_MS = 900_000

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the example is served. */
    url: string
  }
}

/** Builds this package if the sources are newer, and serves examples/nextjs on an empty database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'placard-e2e-'))
  const DATABASE_URL = `file:${join(directory, 'placard.db')}`
  const settings = { ...SECRETS, DATABASE_URL, HOST: '127.0.0.1', TRUST_PROXY: '1' }
  // As `npm run example:next` does.
  const args = ['scripts/run.mjs', 'node', 'scripts/example-next.mjs']
  const { url, stop } = await serve(process.cwd(), settings, { args, startMs: START_MS })
  project.provide('url', url)
  return async () => {
    await stop()
    rmSync(directory, { recursive: true })
  }
}
