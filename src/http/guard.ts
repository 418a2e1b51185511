import type { Limiter } from '../limiter/limiter.ts'
import type { MemoryLimiter } from '../limiter/memory.ts'
import { Problem } from '../problem.ts'
import { assertAdmitted, rateLimitHeaders } from './rate-limit.ts'

type Run = (
  request: Request,
  address: string,
  perform: () => Promise<Response>,
) => Promise<Response>

/** Runs what only a client with the secret may do. */
export interface Guard {
  /** Counts a request as a write, and resolves with the headers that say so (contract A1). @throws Problem */
  count(address: string): Promise<Record<string, string>>
  /** Checks a bearer, however it came. Whoever calls this has counted the request. @throws Problem `unauthorized` */
  authorize(authorization: string | null): Promise<void>
  /** Looks for what lets a browser in. Only failures count, in the window of `read`. @throws Problem */
  lookUp<T>(address: string, find: () => Promise<T | null>): Promise<T | null>
  /**
   * Counts the request, then checks its bearer, so guesses at the secret are limited too. The body of a refused request
   * is not read (contract A1 to A4).
   */
  write: Run
  /** Counts only failures, in a window of their own. A client with the secret may read without limit (contract R7). */
  read: Run
}

export function createGuard(
  limiter: Limiter,
  failures: MemoryLimiter,
  authorize: Guard['authorize'],
): Guard {
  async function count(address: string) {
    const standing = await limiter.count(address)
    const headers = rateLimitHeaders(standing)
    try {
      assertAdmitted(standing)
    } catch (error) {
      throw Problem.from(error).with(headers)
    }
    return headers
  }

  return {
    count,
    authorize,
    async lookUp(address, find) {
      assertAdmitted(failures.peek(address))
      const found = await find()
      if (found === null) failures.count(address)
      return found
    },
    async write(request, address, perform) {
      const headers = await count(address)
      try {
        await authorize(request.headers.get('authorization'))
        const response = await perform()
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
        return response
      } catch (error) {
        throw Problem.from(error).with(headers)
      }
    },
    async read(request, address, perform) {
      try {
        await authorize(request.headers.get('authorization'))
      } catch (error) {
        assertAdmitted(failures.count(address))
        throw error
      }
      // The right secret has to wait too, or the limit would not stop guessing. This is checked after the bearer, because
      // many guesses may arrive at once.
      assertAdmitted(failures.peek(address))
      return perform()
    },
  }
}
