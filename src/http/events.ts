import type { Commands } from '../commands.ts'
import type { Announcement, Scheduled } from '../core/announcement.ts'
import type { Clock } from '../core/clock.ts'
import { isScheduled } from '../core/history.ts'
import { badRequest } from '../core/messages.ts'
import { type Posting, parsePosting, parseSelector } from '../core/schema.ts'
import type { Showing } from '../showing/showing.ts'
import { NO_STORE } from './answer.ts'
import { authorOf } from './author.ts'
import type { Guard } from './guard.ts'
import { assertJsonType, MAX_JSON_BYTES, parseJson, readBytes, readJson } from './json-body.ts'
import { queryOf } from './query.ts'
import { warningHeader, warningsOf } from './warnings.ts'

export interface EventsOptions {
  commands: Commands
  guard: Guard
  clock: Clock
  showing: Showing
  /** Whether an icon has this name (contract A16). Never rejects. */
  knowsIcon(name: string): Promise<boolean>
}

/** `POST` and `DELETE /api/events`, and `PUT /api/events/ID`. */
export function createEvents(options: EventsOptions) {
  const { commands, guard, clock, showing, knowsIcon } = options

  async function saved(
    posting: Posting,
    result: Announcement | Scheduled,
    edited?: string,
  ): Promise<Response> {
    const headers = {
      ...NO_STORE,
      'Placard-Event-Id': result.id,
      ...warningHeader(await warningsOf(posting.draft, knowsIcon)),
    }
    const message = isScheduled(result)
      ? `Event scheduled; it starts at ${new Date(result.startsAt).toISOString()}.`
      : (edited ?? `Event saved; it replaces any previous ${result.type} event.`)
    return Response.json({ message, ok: true }, { status: edited ? 200 : 201, headers })
  }

  return {
    /**
     * The order of a write (spec 4.1, contract A14). The guard counts it and checks the bearer, before anything else is
     * read. The command commits it, and lets pages and caches see it, before it is answered.
     */
    publish: (request: Request, address: string) =>
      guard.write(request, address, async () => {
        const author = authorOf(request, showing)
        const posting = parsePosting(await readJson(request), clock.now())
        const result = await commands.publish(posting, author)
        return saved(posting, result)
      }),

    /** contract A18 */
    edit: (request: Request, address: string, id: string) =>
      guard.write(request, address, async () => {
        const author = authorOf(request, showing)
        const posting = parsePosting(await readJson(request), clock.now())
        return saved(posting, await commands.edit(id, posting, author), 'Event edited.')
      }),

    /** spec 4.3 */
    withdraw: (request: Request, address: string) =>
      guard.write(request, address, async () => {
        const author = authorOf(request, showing)
        const selector = parseSelector(await selection(request))
        const { deleted, scheduled } = await commands.withdraw(selector, author)
        const remaining =
          scheduled === 0 ? '' : ` Still scheduled: ${scheduled} of this type; delete them by id.`
        const message = (deleted === 0 ? 'There was no such event.' : 'Event deleted.') + remaining
        return Response.json({ message, ok: true, deleted }, { headers: NO_STORE })
      }),
  }
}

/** What to delete, from the body or the query, because some proxies drop the body of a DELETE (contract A13). */
async function selection(request: Request): Promise<unknown> {
  const query = new URL(request.url).searchParams
  const body = await readBytes(request, MAX_JSON_BYTES)
  if (body.byteLength > 0) {
    assertJsonType(request.headers)
    if (query.size === 0) return parseJson(body)
    throw badRequest('body_and_query')
  }
  return queryOf(request)
}
