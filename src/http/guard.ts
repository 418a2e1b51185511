import { Problem } from '../problem.ts'
import type { Limiter } from '../store/store.ts'
import { assertAdmitted, rateLimitHeaders } from './rate-limit.ts'

/** Runs what only the holder of the secret may do. */
export type Guard = (
  request: Request,
  address: string,
  perform: () => Promise<Response>,
) => Promise<Response>

/**
 * Counts, then asks who it is: guesses at the secret are limited too. The body of a request is not read
 * until both agree (contract A1 to A4).
 */
export function createGuard(
  limiter: Limiter,
  authorize: (authorization: string | null) => Promise<void>,
): Guard {
  return async (request, address, perform) => {
    const decision = await limiter.count(address)
    const standing = rateLimitHeaders(decision)
    try {
      assertAdmitted(decision)
      await authorize(request.headers.get('authorization'))
      const response = await perform()
      for (const [name, value] of Object.entries(standing)) response.headers.set(name, value)
      return response
    } catch (error) {
      throw Problem.from(error).with(standing)
    }
  }
}
