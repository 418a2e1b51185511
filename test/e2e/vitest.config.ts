import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { everywhere } from '../../vitest.config.ts'

/** `npm run e2e`: the example, fresh apps on Next.js and other sites, packed, installed, built, served. Takes some 15 minutes. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...everywhere,
    include: ['test/e2e/*.e2e.ts'],
    globalSetup: [fileURLToPath(new URL('example.ts', import.meta.url))],
    // All files write to the same service.
    fileParallelism: false,
    // Most install and build what they test, which takes long on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
})
