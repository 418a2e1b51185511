import { toWire, toWireScheduled } from '../announcement.ts'
import { advance, pickAt } from '../board.ts'
import { toWireEntry } from '../history.ts'
import { Problem } from '../problem.ts'
import { parseHistoryQuery, parseInstant, parseUndo } from '../schema.ts'
import type { Store } from '../store/store.ts'
import { authorOf } from './author.ts'
import { type EventsOptions, queryOf } from './events.ts'
import { assertJsonType, MAX_JSON_BYTES, parseJson, readBytes } from './json-body.ts'

const NO_STORE = { headers: { 'Cache-Control': 'no-store' } }

/** What is to come and what was: the schedule, a look ahead, the history and undoing (contract R7 to R9). */
export function createHistory({
  store,
  commands,
  guard,
  clock,
}: Pick<EventsOptions, 'commands' | 'guard' | 'clock'> & { store: Store }) {
  return {
    /** The schedule; or, with `?at=`, what will show at an instant as far as is known now. */
    scheduled: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        const { at, ...others } = queryOf(request)
        refuseOthers(others)
        const board = await store.load()
        if (at !== undefined) {
          const event = pickAt(board, Math.max(parseInstant('at', at), clock.now()))
          return Response.json({ event: event && toWire(event) }, NO_STORE)
        }
        const events = board.scheduled
          .filter(({ startsAt }) => startsAt > clock.now())
          .toSorted((a, b) => a.startsAt - b.startsAt || a.order - b.order)
        return Response.json({ events: events.map(toWireScheduled) }, NO_STORE)
      }),

    /** The event of each type, newest first: the first of them shows, the others wait behind it. */
    slots: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        refuseOthers(queryOf(request))
        const { events } = advance(await store.load(), clock.now()).board
        const newestFirst = events.toSorted((a, b) => b.timestamp - a.timestamp)
        return Response.json({ events: newestFirst.map(toWire) }, NO_STORE)
      }),

    history: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        const { limit, before } = parseHistoryQuery(queryOf(request))
        // One more than asked for tells whether there are others.
        const found = await store.history(limit + 1, before)
        const entries = found.slice(0, limit)
        const next = found.length > limit ? String(entries.at(-1)?.id) : null
        return Response.json({ entries: entries.map(toWireEntry), next }, NO_STORE)
      }),

    undo: (request: Request, address: string) =>
      guard.write(request, address, async () => {
        const author = authorOf(request, clock)
        const body = await readBytes(request, MAX_JSON_BYTES)
        if (body.byteLength > 0) assertJsonType(request.headers)
        const id = parseUndo(body.byteLength > 0 ? parseJson(body) : {})
        const { entry } = await commands.undo(id, author)
        return Response.json({ message: 'Undone.', ok: true, entry: String(entry) }, NO_STORE)
      }),
  }
}

function refuseOthers(others: Record<string, string>): void {
  const [name] = Object.keys(others)
  if (name === undefined) return
  throw new Problem('invalid_request', `There is no query parameter ${name} here`)
}
