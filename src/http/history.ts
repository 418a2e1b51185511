import { toWireEntry } from '../history.ts'
import { parseHistoryQuery, parseUndo } from '../schema.ts'
import type { Store } from '../store/store.ts'
import { NO_STORE } from './answer.ts'
import { authorOf } from './author.ts'
import type { EventsOptions } from './events.ts'
import { assertJsonType, MAX_JSON_BYTES, parseJson, readBytes } from './json-body.ts'
import { queryOf } from './query.ts'

/** The history, and undoing one of its entries (contract R8, R9). */
export function createHistory({
  store,
  commands,
  guard,
  clock,
}: Pick<EventsOptions, 'commands' | 'guard' | 'clock'> & { store: Store }) {
  return {
    read: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        const { limit, before } = parseHistoryQuery(queryOf(request))
        // One more than asked for tells whether there are others.
        const found = await store.history(limit + 1, before)
        const entries = found.slice(0, limit)
        const next = found.length > limit ? String(entries.at(-1)?.id) : null
        return Response.json({ entries: entries.map(toWireEntry), next }, { headers: NO_STORE })
      }),

    undo: (request: Request, address: string) =>
      guard.write(request, address, async () => {
        const author = authorOf(request, clock)
        const body = await readBytes(request, MAX_JSON_BYTES)
        if (body.byteLength > 0) assertJsonType(request.headers)
        const id = parseUndo(body.byteLength > 0 ? parseJson(body) : {})
        const { entry } = await commands.undo(id, author)
        const answer = { message: 'Undone.', ok: true, entry: String(entry) }
        return Response.json(answer, { headers: NO_STORE })
      }),
  }
}
