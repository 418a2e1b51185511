/** Where an address stands once a request of its has been counted. */
export interface Standing {
  admitted: boolean
  /** Requests that would be admitted right now. */
  remaining: number
  /** Milliseconds until one more would be admitted. */
  resetMs: number
}

/**
 * Counts a request of an address, whatever becomes of it.
 *
 * @throws StoreUnavailable when it can't count: then nothing is admitted (contract A3)
 */
export interface Limiter {
  count(address: string): Standing | Promise<Standing>
}

/** 10 requests in any 10 s (spec 8). */
export const LIMIT = 10
export const WINDOW_MS = 10_000
