import { type Client, ClientError, createClient } from '../client.ts'
import type { Placard } from '../placard.ts'
import type { Visit } from './door.tsx'

/**
 * The service's own API, for a person who is signed in. Requests don't leave the process. They count for the person's own
 * address (contract A1), and the history shows their name.
 */
export function apiFor(placard: Placard, { request, info, session }: Visit): Client {
  const forwarded = request.headers.get('x-forwarded-for')
  return createClient({
    url: 'http://placard.internal',
    secret: session.secret,
    actor: session.name ?? undefined,
    headers: {
      'Placard-Via': 'admin',
      ...(forwarded !== null && { 'X-Forwarded-For': forwarded }),
    },
    fetch: (input, init) => placard.fetch(new Request(input, init), info),
  })
}

/** What the API refused, or `null` if it was not the API that failed. */
export function refusalIn(error: unknown): ClientError | null {
  return error instanceof ClientError ? error : null
}
