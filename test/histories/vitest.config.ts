import { defineConfig } from 'vitest/config'

/** `npm run soak:planted`: whether a defect shows depends on chance, so these are no part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/histories/*.soak.ts'],
    globalSetup: ['test/postgres/global-setup.ts'],
    testTimeout: 120_000,
    retry: 2,
  },
})
