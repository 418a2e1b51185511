import { defineConfig } from 'vitest/config'
import { everywhere } from './vitest.config.ts'

/** `npm run proofs`: what takes long and proves one thing. What a proof needs is installed, or it fails. */
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
