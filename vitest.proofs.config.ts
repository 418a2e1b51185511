import { defineConfig } from 'vitest/config'
import { everywhere } from './vitest.config.ts'

/** `npm run proofs`: the slow tests that each prove one thing. If a tool that a proof needs is missing, it fails. */
export default defineConfig({
  test: {
    ...everywhere,
    include: ['test/**/*.proof.{ts,tsx}'],
    globalSetup: ['test/postgres/global-setup.ts'],
    env: { REAL: '1' },
    maxWorkers: 3,
    isolate: false,
  },
})
