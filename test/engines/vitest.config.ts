import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** `npm run engines`: how the bar, the page and the admin look in Chromium, Firefox and WebKit. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/engines/*.look.ts'],
    setupFiles: [fileURLToPath(new URL('../each-file.ts', import.meta.url))],
    expect: { requireAssertions: true, poll: { timeout: 15_000 } },
    // Each has browsers of its own.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
