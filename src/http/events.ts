import type { Clock } from '../clock.ts'
import type { Commands } from '../commands.ts'
import { Problem } from '../problem.ts'
import { parseDraft, parseSelector } from '../schema.ts'
import type { Showing } from '../showing/showing.ts'
import { toResponse } from './answer.ts'
import { eventResource } from './event-resource.ts'
import type { Guard } from './guard.ts'
import { assertJsonType, MAX_JSON_BYTES, parseJson, readBytes, readJson } from './json-body.ts'

export interface EventsOptions {
  showing: Showing
  commands: Commands
  guard: Guard
  clock: Clock
}

/** `GET`, `POST` and `DELETE /api/events`. A write: guard → read → check → commit → tell → answer. */
export function createEvents({ showing, commands, guard, clock }: EventsOptions) {
  return {
    /** spec 4.2 */
    async read(request: Request): Promise<Response> {
      return toResponse(eventResource(await showing.read()), request)
    },

    /** spec 4.1 */
    publish: (request: Request, address: string) =>
      guard(request, address, async () => {
        const draft = parseDraft(await readJson(request), clock.now())
        const { id, type } = await commands.publish(draft)
        const message = `Event saved; it replaces any previous ${type} event.`
        return Response.json(
          { message, ok: true },
          { status: 201, headers: { 'Cache-Control': 'no-store', 'Placard-Event-Id': id } },
        )
      }),

    /** spec 4.3 */
    withdraw: (request: Request, address: string) =>
      guard(request, address, async () => {
        const selector = parseSelector(await selection(request))
        const deleted = await commands.withdraw(selector)
        const message = deleted === 0 ? 'There was no such event.' : 'Event deleted.'
        return Response.json(
          { message, ok: true, deleted },
          { headers: { 'Cache-Control': 'no-store' } },
        )
      }),
  }
}

/** What to delete, from the body or from the query: some proxies drop a DELETE's body (contract A13). */
async function selection(request: Request): Promise<unknown> {
  const query = new URL(request.url).searchParams
  const body = await readBytes(request, MAX_JSON_BYTES)
  if (body.byteLength > 0) {
    assertJsonType(request.headers)
    if (query.size === 0) return parseJson(body)
    throw new Problem('invalid_request', 'Name what to delete in either the body or the query')
  }
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) {
      throw new Problem('invalid_request', `The query parameter ${name} is repeated`)
    }
  }
  return Object.fromEntries(query)
}
