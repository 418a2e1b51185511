import { vi } from 'vitest'
import { LIMIT_MS } from './limit.ts'

/** Resolves with what this returns as soon as it no longer throws, which is tried again and again. */
export const soon = <T>(expected: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(expected, { interval: 5, timeout: LIMIT_MS })
