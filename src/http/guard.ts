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
  authorize: (authorization: string | null) => Promise<void>,
): Guard {
  return {
    async write(request, address, perform) {
      const standing = await limiter.count(address)
      const headers = rateLimitHeaders(standing)
      try {
        assertAdmitted(standing)
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
