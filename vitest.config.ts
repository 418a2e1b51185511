import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/postgres/global-setup.ts'],
    // A test that asserts nothing can't fail.
    expect: { requireAssertions: true },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Much of a test's time is spent waiting, so three at a time are quicker, even on two cores.
    maxWorkers: 3,
    // Each of these is many small modules, and each test file would load them one by one.
    deps: {
      optimizer: { ssr: { enabled: true, include: ['kysely', 'stripe', 'zod', 'prom-client'] } },
    },
  },
})
