import { timingSafeEqual } from 'hono/utils/buffer'
import { Problem } from '../core/problem.ts'

const REALM = 'Bearer realm="placard"'

/**
 * Makes the check of the `Authorization` header (contract A4).
 *
 * It compares every secret, so its duration doesn't tell which one was close.
 *
 * @returns a function that rejects with Problem `unauthorized`
 */
export function createAuthorize(
  secrets: readonly string[],
): (authorization: string | null) => Promise<void> {
  return async (authorization) => {
    const token = bearerIn(authorization)
    if (token === undefined) throw refusal(REALM)
    const same = await Promise.all(secrets.map((secret) => timingSafeEqual(token, secret, asIs)))
    if (!same.includes(true)) throw refusal(`${REALM}, error="invalid_token"`)
  }
}

/** The token of a bearer: everything after the scheme, even if two headers were joined. */
export function bearerIn(authorization: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]
}

/** Comparing digests would also hide the length of a secret, but would add 0.1 ms to each write. */
const asIs = (text: string) => text

function refusal(challenge: string): Problem {
  return new Problem('unauthorized', 'Unauthorized', { headers: { 'WWW-Authenticate': challenge } })
}
