import { timingSafeEqual } from 'hono/utils/buffer'
import {
  LIMIT,
  type Limiter,
  type LimitState,
  type MemoryLimiter,
  WINDOW_MS,
} from '../core/limiter.ts'
import { type MessageCode, say } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'
import { nameOf } from '../core/secrets.ts'

/** Handles an admitted request. @param secretName the name that its secret begins with, or `null` (contract A4) */
type Perform = (secretName: string | null) => Promise<Response>

export type Guard = ReturnType<typeof createGuard>

/**
 * Limits how often clients may send requests, and admits only requests with a valid secret.
 *
 * @param memory creates a limiter in the memory of this process
 */
export function createGuard(
  limiter: Limiter,
  memory: () => MemoryLimiter,
  secrets: readonly string[],
) {
  const bearers = memory()
  const cookies = memory()
  /** Counts requests that any page can make its visitors' browsers send; they mustn't use up the owner's allowance. */
  const strangers = memory()

  async function count(address: string, counter = limiter) {
    const state = await counter.count(address)
    const headers = {
      'RateLimit-Policy': `"write";q=${LIMIT};w=${WINDOW_MS / 1000}`,
      RateLimit: `"write";r=${state.remaining};t=${waitSeconds(state.resetMs)}`,
    }
    assertAdmitted(state, headers)
    return headers
  }

  /**
   * Checks the `Authorization` header (contract A4). The token is compared with every secret, so the duration doesn't
   * reveal which secret matched.
   *
   * @returns the name that the secret begins with, or `null`
   * @throws Problem `unauthorized`
   */
  async function authorize(authorization: string | null): Promise<string | null> {
    const token = bearerIn(authorization)
    if (authorization === null) throw refusal(REALM, 'no_token')
    if (token === undefined) throw refusal(REALM, 'no_bearer')
    const same = await Promise.all(secrets.map((secret) => timingSafeEqual(token, secret, asIs)))
    if (!same.includes(true)) throw refusal(`${REALM}, error="invalid_token"`, 'wrong_token')
    return nameOf(token)
  }

  return {
    /** Counts a request as a write. @returns the `RateLimit` headers for its response (contract A1) @throws Problem */
    count: (address: string) => count(address),
    /** Counts a request without a bearer token, such as a sign-in, in its own window (contract A1). @throws Problem */
    countStranger: (address: string) => count(address, strangers),
    /** Checks the bearer token of a request that the caller has already counted. */
    authorize,
    /** Looks up a browser's session. Counts only failed look-ups, in their own window (contract O2). @throws Problem */
    async lookUp<T>(address: string, find: () => Promise<T | null>): Promise<T | null> {
      assertAdmitted(cookies.peek(address))
      const found = await find()
      if (found === null) cookies.count(address)
      return found
    },
    /**
     * Checks the request's token, and counts the request even if the token is wrong, so guesses at the secret are
     * limited too. The result of the check decides in which window the request counts. The body of a rejected request
     * is not read (contract A1 to A4).
     */
    async write(request: Request, address: string, perform: Perform): Promise<Response> {
      const authorization = request.headers.get('authorization')
      const authorized = await authorize(authorization).catch(Problem.from)
      // A page can send any header to its own origin, whose host name may resolve to this service. So a wrong token
      // from a page counts as a stranger's.
      const byPage = request.headers.has('origin')
      const isStranger = authorization === null || (byPage && authorized instanceof Problem)
      // If the right token passed while wrong ones are rejected, the limit wouldn't prevent guessing.
      if (byPage && !isStranger) assertAdmitted(strangers.peek(address))
      const headers = await count(address, isStranger ? strangers : limiter)
      try {
        if (authorized instanceof Problem) throw authorized
        const response = await perform(authorized)
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
        return response
      } catch (error) {
        throw Problem.from(error).with(headers)
      }
    },
    /** Counts only wrong tokens, in a window of their own; reads with a valid secret aren't counted (contract R7). */
    async read(request: Request, address: string, perform: Perform): Promise<Response> {
      const authorization = request.headers.get('authorization')
      let secretName: string | null
      try {
        secretName = await authorize(authorization)
      } catch (error) {
        // A missing token isn't counted; otherwise, any page could lock out its visitors through their own browsers.
        if (authorization !== null) assertAdmitted(bearers.count(address))
        throw error
      }
      // Over the limit, even the right secret is rejected; otherwise, the limit wouldn't prevent guessing. Check the
      // limit after the token; otherwise, guesses that arrive together could all pass before any is counted.
      assertAdmitted(bearers.peek(address))
      return perform(secretName)
    },
  }
}

const REALM = 'Bearer realm="placard"'

/** Returns everything after `Bearer`, so that a token joined from two headers matches no secret (contract A4). */
export function bearerIn(authorization: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]
}

/** Comparing digests would also hide the length of a secret, but would add 0.1 ms to each write. */
const asIs = (text: string) => text

function refusal(challenge: string, code: MessageCode): Problem {
  const headers = { 'WWW-Authenticate': challenge }
  return new Problem('unauthorized', say(code), { details: { code }, headers })
}

/** @throws Problem `too_many_requests` if the request isn't admitted */
function assertAdmitted(state: LimitState, headers: Record<string, string> = {}): void {
  if (state.admitted) return
  const retryAfter = waitSeconds(state.resetMs)
  throw new Problem('too_many_requests', 'Too many requests', {
    details: { retryAfter },
    headers: { ...headers, 'Retry-After': String(retryAfter) },
  })
}

function waitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
