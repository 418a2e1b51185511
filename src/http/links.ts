import { invalidBody, issueAt } from '../core/messages.ts'
import { NO_STORE } from './answer.ts'
import { printable } from './author.ts'
import { bearerIn } from './guard.ts'
import { readOptionalJson } from './json-body.ts'
import type { Route, Routes } from './route.ts'

/** Where `placard open` requests a link, and where the service has the admin. */
export const DEFAULT_ADMIN_PATH = '/admin'

export interface LinkService {
  /**
   * @param secret the bearer's secret, so that the session ends when that secret is removed
   * @param name for the history
   */
  makeLink(secret: string, name: string | null): Promise<{ url: string; expiresAt: string }>
}

/** The link of the admin (contract O1), at the path where the admin is mounted. */
export const linkRoute: Route<LinkService> = {
  guard: 'write',
  operationId: 'makeLink',
  summary: 'Create a link that opens the admin once',
  description: 'The standalone service has the admin here. An app mounts it where it likes.',
  body: 'LinkFor?',
  answers: { 201: ['The link, and when it is over.', 'Link'] },
  async handle({ request }, { makeLink }) {
    const { name, ...others } = (await readOptionalJson(request)) ?? {}
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) throw invalidBody([issueAt(unknown, 'unknown_field')])
    const printed = typeof name === 'string' ? printable(name) : undefined
    if (name !== undefined && printed === undefined) {
      throw invalidBody([issueAt('name', 'not_a_name')])
    }
    const secret = bearerIn(request.headers.get('authorization')) as string
    return Response.json(await makeLink(secret, printed ?? null), {
      status: 201,
      headers: NO_STORE,
    })
  },
}

export const linkRoutes: Routes<LinkService> = { [`POST ${DEFAULT_ADMIN_PATH}/links`]: linkRoute }
