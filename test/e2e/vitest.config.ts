import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** `npm run e2e`: the example, fresh apps on Next.js and other sites, packed, installed, built, served. Takes some 15 minutes. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/e2e/*.e2e.ts'],
    globalSetup: [fileURLToPath(new URL('example.ts', import.meta.url))],
    setupFiles: [fileURLToPath(new URL('../each-file.ts', import.meta.url))],
    expect: { requireAssertions: true },
    // They write to one service.
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
