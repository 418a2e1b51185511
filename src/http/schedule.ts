import { toOwnersWire, toWire, toWireScheduled } from '../core/announcement.ts'
import { advance, pickAt } from '../core/board.ts'
import { parseInstant } from '../core/schema.ts'
import { tagOf, tagOfScheduled } from '../showing/snapshot.ts'
import { NO_STORE } from './answer.ts'
import { knownQueryOf } from './query.ts'
import type { Arrival, Routes, Service } from './service.ts'

/** The slots, the schedule and a look ahead (contract R7). */
export const scheduleRoutes: Routes = {
  'GET /api/events/slots': {
    guard: 'read',
    operationId: 'readSlots',
    summary: 'List the event of each type',
    answers: {
      200: ['Newest first. The first one shows, and the others wait behind it.', 'Slots'],
    },
    problems: [400],
    handle: slots,
  },
  'GET /api/events/scheduled': {
    guard: 'read',
    operationId: 'readSchedule',
    summary: 'List the schedule; with `at`, get what will show then',
    query: { at: 'A time as RFC 3339 with an offset, or in milliseconds since 1970.' },
    answers: {
      200: [
        'The schedule, soonest first. With `at`, one announcement as in `GET /api/events`.',
        ['Schedule', 'Showing'],
      ],
    },
    problems: [400],
    handle: scheduled,
  },
}

async function slots({ request }: Arrival, { store, clock }: Service) {
  knownQueryOf(request)
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
}

async function scheduled({ request }: Arrival, { store, clock }: Service) {
  const { at } = knownQueryOf(request, 'at')
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
}
