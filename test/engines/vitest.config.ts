import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { everywhere } from '../../vitest.config.ts'

/** `npm run engines`: how the bar, the page and the admin look in Chromium, Firefox and WebKit. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...everywhere,
    include: ['test/engines/*.look.ts'],
    // Each file starts browsers of its own.
    fileParallelism: false,
  },
})
