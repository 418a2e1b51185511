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
import { EVENTS_PATH, show } from './documents.ts'
import { NO_STORE, uncached } from './headers.ts'
import { authorOf, knownQueryOf, queryOf, readJson, readOptionalJson, searchOf } from './input.ts'
import type { HeaderNames } from './openapi-components.ts'
import type { RouteRequest, Routes } from './route.ts'
import type { ServiceParts } from './service-parts.ts'
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
 * The routes for reading and changing announcements (contract A1 to A19, R1 to R3), and for reading the slots and the
 * schedule (R7).
 */
export const eventRoutes: Routes = {
  [`GET ${EVENTS_PATH}`]: {
    guard: 'open',
    readable: true,
    operationId: 'readEvent',
    summary: 'Get the current announcement',
    conditional: true,
    responses: { 200: ['The live announcement, or null.', 'Showing', CACHED] },
    problems: [500],
    handle: ({ request }, service) => show(service, request, EVENTS_PATH),
  },
  [`POST ${EVENTS_PATH}`]: {
    guard: 'write',
    operationId: 'publishEvent',
    summary: 'Publish or schedule an announcement',
    authored: true,
    body: 'Draft',
    responses: { 201: ['The announcement is published or scheduled.', 'Saved', SAVED] },
    handle: publish,
  },
  [`DELETE ${EVENTS_PATH}`]: {
    guard: 'write',
    operationId: 'deleteEvents',
    summary: 'Take announcements down, by type or by id',
    description: 'Send the selector in either the body or the query, not in both.',
    authored: true,
    query: { type: 'The same as `type` in the body.', id: 'The same as `id` in the body.' },
    body: 'Selector?',
    responses: { 200: ['`deleted` is 0 if there was nothing to delete.', 'Deleted'] },
    handle: withdraw,
  },
  [`PUT ${EVENTS_PATH}/{id}`]: {
    guard: 'write',
    operationId: 'editEvent',
    summary: 'Edit a published or scheduled announcement',
    authored: true,
    body: 'Draft',
    responses: { 200: ['The announcement is edited.', 'Saved', SAVED] },
    problems: [404],
    handle: edit,
  },
  [`GET ${EVENTS_PATH}/slots`]: {
    guard: 'read',
    operationId: 'readSlots',
    summary: 'List the event of each type',
    responses: {
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
    responses: {
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
 * Publishes or schedules an announcement (spec 4.1, contract A14). The guard has already counted the request and
 * checked its token. The command resolves once the write is committed, this node shows it, and caches are purged.
 */
async function publish(routed: RouteRequest, service: ServiceParts) {
  const { commands, clock } = service
  const author = authorOf(routed, clock)
  const posting = parsePosting(await readJson(routed.request), clock.now())
  const { announcement: stored } = await commands.publish(posting, author)
  const message = `Event saved; it replaces any previous ${stored.type} event.`
  return saved(201, message, stored, await warningsAbout(posting, stored, service))
}

/** Edits a published or scheduled announcement (contract A18). */
async function edit(routed: RouteRequest, service: ServiceParts) {
  const { commands, clock, showing } = service
  const { request, id } = routed
  const author = authorOf(routed, clock)
  const posting = parsePosting(await readJson(request), clock.now())
  const board = showing.board()
  const before = board && withId(board, id)
  const { announcement: stored } = await commands.edit(id, posting, author)
  return saved(200, 'Event edited.', stored, await warningsAbout(posting, stored, service, before))
}

/** @param message what the response says unless the announcement is scheduled */
function saved(
  status: number,
  message: string,
  stored: Announcement | Scheduled,
  warnings: readonly Issue[],
): Response {
  const text = isScheduled(stored)
    ? `Event scheduled; it starts at ${new Date(stored.startsAt).toISOString()}.`
    : message
  const headers = { ...NO_STORE, 'Placard-Event-Id': stored.id, ...warningHeader(warnings) }
  return Response.json({ message: text, ok: true }, { status, headers })
}

/**
 * Returns the warnings about an announcement that has been stored (contract A16).
 *
 * @param before the announcement before an edit
 */
export async function warningsAbout(
  { draft }: Posting,
  stored: Announcement | Scheduled,
  { store, showing, knowsIcon, clock }: ServiceParts,
  before?: Announcement | Scheduled,
): Promise<Issue[]> {
  const board = showing.board()
  const from = isScheduled(stored) ? stored.startsAt : clock.now()
  return [
    ...(await warningsOf(draft, knowsIcon)),
    // The announcement is stored, and a failed look-up must not suggest otherwise.
    ...(await dismissedOf({ ...stored, from }, before, board, store).catch(() => [])),
    ...earlierEndOf(stored, board),
  ]
}

/** Takes announcements down (spec 4.3). */
async function withdraw(routed: RouteRequest, { commands, clock }: ServiceParts) {
  const author = authorOf(routed, clock)
  const selector = parseSelector(await selection(routed.request))
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

async function slots({ request }: RouteRequest, { store, clock }: ServiceParts) {
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

async function scheduled({ request }: RouteRequest, { store, clock }: ServiceParts) {
  const { at } = knownQueryOf(searchOf(request), 'at')
  const board = await store.load()
  if (at !== undefined) {
    const event = pickAt(board, Math.max(parseInstant('at', at), clock.now()))
    return uncached({ event: event && toWire(event) })
  }
  const events = board.scheduled.filter(({ startsAt }) => startsAt > clock.now())
  return uncached({ events: events.map((one) => ({ ...toWire(one), etag: etagOf(one) })) })
}
