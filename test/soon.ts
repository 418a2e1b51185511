import { vi } from 'vitest'
import { LIMIT_MS } from './limit.ts'

/** Calls this again and again until it no longer throws. Resolves with what it returns. */
export const soon = <T>(expected: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(expected, { interval: 5, timeout: LIMIT_MS })
