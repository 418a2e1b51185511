import {
  type Announcement,
  etagOf,
  type Scheduled,
  toOwnersWire,
  toWire,
} from '../core/announcement.ts'
import { advance, type Board, pickAt, replacementOf, withId } from '../core/board.ts'
import { isScheduled } from '../core/history.ts'
import { badRequest, issueAt } from '../core/messages.ts'
import type { Issue } from '../core/problem.ts'
import { type Posting, parseInstant, parsePosting, parseSelector } from '../core/schema.ts'
import { EVENTS_PATH, eventResource, NO_STORE, show, uncached } from './answer.ts'
import type { HeaderNames } from './components.ts'
import { authorOf, knownQueryOf, queryOf, readJson, readOptionalJson, searchOf } from './input.ts'
import type { Arrival, Routes, Service } from './service.ts'
import { dismissedOf, warningHeader, warningsOf } from './warnings.ts'

const CACHED: HeaderNames = [
  'Cache-Tag',
  'Surrogate-Key',
  'Cache-Groups',
  'CDN-Cache-Control',
  'Surrogate-Control',
  'Placard-Stale',
]
const SAVED: HeaderNames = ['Placard-Event-Id', 'Placard-Warning']

/**
 * The routes for reading and changing announcements (contract A1 to A18, R1 to R3), and for reading the slots and the
 * schedule (R7).
 */
export const eventRoutes: Routes = {
  [`GET ${EVENTS_PATH}`]: {
    guard: 'open',
    readable: true,
    operationId: 'readEvent',
    summary: 'Get the current announcement',
    conditional: true,
    answers: { 200: ['The live announcement, or null.', 'Showing', CACHED] },
    problems: [500],
    handle: ({ request }, service) => show(service, request, eventResource),
  },
  [`POST ${EVENTS_PATH}`]: {
    guard: 'write',
    operationId: 'publishEvent',
    summary: 'Publish or schedule an announcement',
    authored: true,
    body: 'Draft',
    answers: { 201: ['The announcement is published or scheduled.', 'Saved', SAVED] },
    handle: (arrival, service) => save(arrival, service, false),
  },
  [`DELETE ${EVENTS_PATH}`]: {
    guard: 'write',
    operationId: 'deleteEvents',
    summary: 'Take announcements down, by type or by id',
    description: 'Send the selector in either the body or the query, not in both.',
    authored: true,
    query: { type: 'The same as `type` in the body.', id: 'The same as `id` in the body.' },
    body: 'Selector?',
    answers: { 200: ['`deleted` is 0 if there was nothing to delete.', 'Deleted'] },
    handle: withdraw,
  },
  [`PUT ${EVENTS_PATH}/{id}`]: {
    guard: 'write',
    operationId: 'editEvent',
    summary: 'Edit a published or scheduled announcement',
    authored: true,
    body: 'Draft',
    answers: { 200: ['The announcement is edited.', 'Saved', SAVED] },
    problems: [404],
    handle: (arrival, service) => save(arrival, service, true),
  },
  [`GET ${EVENTS_PATH}/slots`]: {
    guard: 'read',
    operationId: 'readSlots',
    summary: 'List the event of each type',
    answers: {
      200: ["The events, newest first. The first event that isn't paused is live.", 'Slots'],
    },
    problems: [400],
    handle: slots,
  },
  [`GET ${EVENTS_PATH}/scheduled`]: {
    guard: 'read',
    operationId: 'readSchedule',
    summary: 'List the schedule; with `at`, get the announcement that will be live then',
    query: { at: 'A time, as RFC 3339 with an offset or as milliseconds since 1970.' },
    answers: {
      200: [
        'The schedule, soonest first. With `at`, one announcement, as in `GET /api/events`.',
        ['Schedule', 'Showing'],
      ],
    },
    problems: [400],
    handle: scheduled,
  },
}

/**
 * Publishes, schedules or edits an announcement (spec 4.1, contract A14, A18). The guard has already counted the
 * request and checked its token. The command resolves once the write is committed, open pages are notified and caches
 * are purged.
 */
async function save(arrival: Arrival, service: Service, isEdit: boolean) {
  const { request, id } = arrival
  const { commands, clock, showing } = service
  const author = authorOf(arrival, showing)
  const posting = parsePosting(await readJson(request), clock.now())
  const board = showing.board()
  const edited = isEdit && board ? withId(board, id) : undefined
  const { announcement: result } = isEdit
    ? await commands.edit(id, posting, author)
    : await commands.publish(posting, author)
  const headers = {
    ...NO_STORE,
    'Placard-Event-Id': result.id,
    ...warningHeader(await warningsAbout(posting, result, service, edited)),
  }
  const saved = isEdit
    ? 'Event edited.'
    : `Event saved; it replaces any previous ${result.type} event.`
  const message = isScheduled(result)
    ? `Event scheduled; it starts at ${new Date(result.startsAt).toISOString()}.`
    : saved
  return Response.json({ message, ok: true }, { status: isEdit ? 200 : 201, headers })
}

/** Returns the warnings about an announcement that has been stored (contract A16). @param edited what it was before */
export async function warningsAbout(
  { draft }: Posting,
  stored: Announcement | Scheduled,
  { store, showing, knowsIcon, clock }: Service,
  edited?: Announcement | Scheduled,
): Promise<Issue[]> {
  const board = showing.board()
  const from = isScheduled(stored) ? stored.startsAt : clock.now()
  return [
    ...(await warningsOf(draft, knowsIcon)),
    // The announcement is stored, and a failed look-up must not suggest otherwise.
    ...(await dismissedOf({ ...stored, from }, edited, board, store).catch(() => [])),
    ...earlierEndOf(stored, board),
  ]
}

/** Takes announcements down (spec 4.3). */
async function withdraw(arrival: Arrival, { commands, showing }: Service) {
  const author = authorOf(arrival, showing)
  const selector = parseSelector(await selection(arrival.request))
  const { deleted, scheduled } = await commands.withdraw(selector, author)
  const remaining =
    scheduled === 0 ? '' : ` Still scheduled: ${scheduled} of this type; delete them by id.`
  const message = (deleted === 0 ? 'There was no such event.' : 'Event deleted.') + remaining
  return uncached({ message, ok: true, deleted })
}

/** Warns if a scheduled announcement will replace this one before its end (contract A16). */
function earlierEndOf(one: Announcement | Scheduled, board: Board | undefined) {
  if (one.expiresAt === null) return []
  const from = isScheduled(one) ? one.startsAt : one.timestamp
  const other = board && replacementOf(board, one, from)
  if (!other) return []
  const at = new Date(other.startsAt).toISOString()
  return [issueAt('expiresAt', 'replaced_earlier', { id: other.id, at })]
}

/** Reads the selector from the body or the query, because some proxies drop the body of a DELETE (contract A13). */
async function selection(request: Request): Promise<unknown> {
  const body = await readOptionalJson(request)
  if (body === undefined) return queryOf(searchOf(request))
  if (searchOf(request).size > 0) throw badRequest('body_and_query')
  return body
}

async function slots({ request }: Arrival, { store, clock }: Service) {
  knownQueryOf(searchOf(request))
  const { published, paused } = advance(await store.load(), clock.now()).board
  const newestFirst = published.toSorted((a, b) => b.timestamp - a.timestamp)
  return uncached({
    events: newestFirst.map((one) => ({
      ...toOwnersWire(one),
      ...(paused?.id === one.id && { pausedSince: String(paused.since) }),
      etag: etagOf(one),
    })),
  })
}

async function scheduled({ request }: Arrival, { store, clock }: Service) {
  const { at } = knownQueryOf(searchOf(request), 'at')
  const board = await store.load()
  if (at !== undefined) {
    const event = pickAt(board, Math.max(parseInstant('at', at), clock.now()))
    return uncached({ event: event && toWire(event) })
  }
  const events = board.scheduled.filter(({ startsAt }) => startsAt > clock.now())
  return uncached({ events: events.map((one) => ({ ...toWire(one), etag: etagOf(one) })) })
}
