import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { everywhere } from '../../vitest.config.ts'

/** `npm run soak planted`. Whether a defect shows depends on chance, so these are not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...everywhere,
    include: ['test/**/*.soak.ts'],
    globalSetup: [fileURLToPath(new URL('../postgres/global-setup.ts', import.meta.url))],
    retry: 2,
  },
})
