import { toOwnersWire, toWire, toWireScheduled } from '../core/announcement.ts'
import { advance, pickAt } from '../core/board.ts'
import { parseInstant } from '../core/schema.ts'
import { tagOf, tagOfScheduled } from '../showing/snapshot.ts'
import type { Store } from '../store/store.ts'
import { NO_STORE } from './answer.ts'
import type { EventsOptions } from './events.ts'
import { assertNone, queryOf } from './query.ts'

/** What is up and what is to come: the slots, the schedule and a look ahead (contract R7). */
export function createSchedule({
  store,
  guard,
  clock,
}: Pick<EventsOptions, 'guard' | 'clock'> & { store: Store }) {
  return {
    /** The schedule; or, with `?at=`, what will show at an instant as far as is known now. */
    scheduled: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        const { at, ...others } = queryOf(request)
        assertNone(others)
        const board = await store.load()
        if (at !== undefined) {
          const event = pickAt(board, Math.max(parseInstant('at', at), clock.now()))
          return Response.json({ event: event && toWire(event) }, { headers: NO_STORE })
        }
        const events = board.scheduled
          .filter(({ startsAt }) => startsAt > clock.now())
          .toSorted((a, b) => a.startsAt - b.startsAt || a.order - b.order)
        return Response.json(
          { events: events.map((one) => ({ ...toWireScheduled(one), etag: tagOfScheduled(one) })) },
          { headers: NO_STORE },
        )
      }),

    /** The event of each type, newest first. The first one shows, and the others wait behind it. */
    slots: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        assertNone(queryOf(request))
        const { events, paused } = advance(await store.load(), clock.now()).board
        const pausedSince = (id: string) =>
          paused?.id === id ? { pausedSince: String(paused.since) } : {}
        const newestFirst = events.toSorted((a, b) => b.timestamp - a.timestamp)
        return Response.json(
          {
            events: newestFirst.map((one) => ({
              ...{ ...toOwnersWire(one), ...pausedSince(one.id), etag: tagOf(one) },
            })),
          },
          { headers: NO_STORE },
        )
      }),
  }
}
