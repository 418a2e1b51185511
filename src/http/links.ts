import { parsed } from '../core/schema.ts'
import { bearerIn } from './guard.ts'
import { linkFor, printable, readOptionalJson } from './input.ts'
import type { Row } from './route.ts'

/** The admin's default path, under which `placard open` requests a sign-in link. */
export const DEFAULT_ADMIN_PATH = '/admin'

/** Describes the route for sign-in links, which the admin itself handles (contract O1). */
export const LINK_ROUTE = {
  method: 'POST',
  path: `${DEFAULT_ADMIN_PATH}/links`,
  guard: 'write',
  operationId: 'makeLink',
  summary: 'Create a link that opens the admin once',
  description: 'The path shown belongs to the standalone service. An app chooses its own path.',
  body: 'LinkFor?',
  responses: { 201: ['The link, and when it expires.', 'Link'] },
} as const satisfies Omit<Row, 'handle'>

/**
 * Reads a request for a sign-in link: the person's name for the history, and the secret sent as the bearer token. The
 * link's session ends when that secret is removed.
 */
export async function linkRequestIn(request: Request) {
  const { name = '' } = parsed(linkFor, (await readOptionalJson(request)) ?? {})
  const secret = bearerIn(request.headers.get('authorization')) as string
  return { secret, name: printable(name) ?? null }
}
