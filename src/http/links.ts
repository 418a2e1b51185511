import { parsed } from '../core/schema.ts'
import { bearerIn } from './guard.ts'
import { linkFor, printable, readOptionalJson } from './input.ts'
import type { Row } from './service.ts'

/** Where `placard open` requests a link, and where the service has the admin. */
export const DEFAULT_ADMIN_PATH = '/admin'

/** The description of the route that the admin answers (contract O1). */
export const LINK_ROUTE = {
  method: 'POST',
  path: `${DEFAULT_ADMIN_PATH}/links`,
  guard: 'write',
  operationId: 'makeLink',
  summary: 'Create a link that opens the admin once',
  description: 'This is the path in the standalone service. An app chooses its own.',
  body: 'LinkFor?',
  answers: { 201: ['The link, and when it expires.', 'Link'] },
} as const satisfies Omit<Row, 'handle'>

/**
 * What a request for a link says: the name for the history, and the secret in its bearer token, so that the session ends
 * when that secret is removed.
 */
export async function linkRequestIn(request: Request) {
  const { name = '' } = parsed(linkFor, (await readOptionalJson(request)) ?? {})
  const secret = bearerIn(request.headers.get('authorization')) as string
  return { secret, name: printable(name) ?? null }
}
