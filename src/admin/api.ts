import { type Client, ClientError, createClient } from '../client/client.ts'
import { Problem } from '../core/problem.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import type { Visit } from './door.tsx'

/**
 * The service's own API, for a person who is signed in. Requests don't leave the process. They count for the person's own
 * address (contract A1), and the history shows their name.
 */
export function apiFor(placard: Placard, { request, info, session }: Visit): Client {
  const { guard } = internalsOf(placard)
  const forwarded = request.headers.get('x-forwarded-for')
  return createClient({
    url: 'http://placard.internal',
    secret: session.secret,
    actor: session.name ?? undefined,
    headers: {
      'Placard-Via': 'admin',
      // So that the log names the request that a person made (contract R6).
      'X-Request-Id': info.requestId,
      ...(forwarded !== null && { 'X-Forwarded-For': forwarded }),
    },
    fetch: (input, init) => placard.fetch(guard.vouchFor(new Request(input, init)), info),
  })
}

/** What the API refused, or `null` if it did not refuse but fail, or something else failed. */
export function refusalIn(error: unknown): ClientError | null {
  return error instanceof ClientError && error.status >= 400 && error.status !== 500 ? error : null
}

/** Turns whatever was thrown into an answer. What passes in the API passes here too. */
export function problemIn(error: unknown): Problem {
  if (refusalIn(error)?.status !== 503) return Problem.from(error)
  return Problem.unavailable((error as ClientError).message, error)
}
