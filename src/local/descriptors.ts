import { readFileSync } from 'node:fs'
import type { Log } from '../core/log.ts'

/** How many open files are reserved for everything but streams: requests, the database, the program itself. */
export const RESERVED_DESCRIPTORS = 256

/** Caps the streams below the open-file limit, because at the limit, Node fails in unexpected places (contract R4). */
export function maxStreams(wanted: number, log: Log): number {
  const limit = descriptorLimit() ?? Number.POSITIVE_INFINITY
  const cap = Math.max(0, Math.min(wanted, limit - RESERVED_DESCRIPTORS))
  if (cap < wanted) {
    log.warn(
      { maxStreams: cap, limit },
      'allowing fewer streams than MAX_STREAMS: raise the open-file limit',
    )
  }
  return cap
}

/** How many files may be open; `undefined` if unknown or unlimited. */
export function descriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
