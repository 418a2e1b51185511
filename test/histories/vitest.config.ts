import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** `npm run soak planted`. Whether a defect shows depends on chance, so these are not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/**/*.soak.ts'],
    globalSetup: [fileURLToPath(new URL('../postgres/global-setup.ts', import.meta.url))],
    setupFiles: [fileURLToPath(new URL('../each-file.ts', import.meta.url))],
    testTimeout: 120_000,
    retry: 2,
  },
})
