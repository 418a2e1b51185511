import type { Author } from '../commands.ts'
import { advance } from '../core/board.ts'
import { type HistoryEntry, isScheduled, toWireEntry, undoRefusal } from '../core/history.ts'
import { describeError } from '../core/log.ts'
import { REASONS, type Reason } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'
import { historyQuery, parsed, undoing } from '../core/schema.ts'
import { uncached } from './headers.ts'
import { authorOf, queryOf, readOptionalJson, searchOf } from './input.ts'
import type { RouteRequest, Routes } from './route.ts'
import type { ServiceParts } from './service-parts.ts'

/** The routes of the history and of undo (contract R8, R9). */
export const historyRoutes: Routes = {
  'GET /api/events/history': {
    guard: 'read',
    operationId: 'readHistory',
    summary: 'List the history, newest first',
    query: {
      limit: {
        description: 'How many entries to return.',
        schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      },
      before: 'The `next` of the previous page.',
    },
    responses: { 200: ['A page of the history.', 'History'] },
    problems: [400],
    handle: answerPage,
  },
  'POST /api/events/undo': {
    guard: 'write',
    operationId: 'undo',
    summary: 'Undo a history entry',
    authored: true,
    body: 'Undo?',
    responses: { 200: ['`entry` is the id of the history entry that records the undo.', 'Undone'] },
    problems: [404, 409],
    handle: answerUndo,
  },
}

/** A history entry with `undo`, which is `possible` or the code of the reason why the entry can't be undone. */
export type ListedEntry = HistoryEntry & { undo: string }

/**
 * Reads a page of the history, newest entries first (contract R8).
 *
 * @param before an entry's id: only older entries are returned; `null` returns the newest entries
 * @returns the entries. `next` is the `before` of the next page, or `null` on the last page
 */
export async function readHistory(
  service: ServiceParts,
  limit: number,
  before: number | null = null,
): Promise<{ entries: ListedEntry[]; next: number | null }> {
  const { store, clock } = service
  if (!store.watch) await recordTransitions(service)
  // Reads one entry more than requested, to learn whether there is a next page.
  const found = await store.history(limit + 1, before)
  const entries = found.slice(0, limit)
  const board = await boardNow(service)
  const listed = entries.map(async (entry) => {
    const refusal = undoRefusal(entry, board, clock.now()) ?? (await refusalOf(entry, service))
    return { ...entry, undo: refusal ?? 'possible' }
  })
  const next = found.length > limit ? (entries.at(-1)?.id ?? null) : null
  return { entries: await Promise.all(listed), next }
}

/**
 * Undoes a history entry; with `null`, the latest that is neither an undo nor `not_undoable` (contract R9).
 *
 * @throws Problem `not_found`, `conflict`, `precondition_failed`
 */
export async function undo(service: ServiceParts, id: number | null, author: Author) {
  return service.commands.undo(await redeemable(id, service), author)
}

async function answerPage({ request }: RouteRequest, service: ServiceParts): Promise<Response> {
  const { limit, before } = parsed(historyQuery, queryOf(searchOf(request)))
  const { entries, next } = await readHistory(service, limit, before)
  return uncached({ entries: entries.map(toWireEntry), next: next === null ? null : String(next) })
}

async function answerUndo(routed: RouteRequest, service: ServiceParts): Promise<Response> {
  const author = authorOf(routed, service.clock)
  const { id = null } = parsed(undoing, (await readOptionalJson(routed.request)) ?? {})
  const { entry } = await undo(service, id, author)
  return uncached({ message: 'Undone.', ok: true, entry: String(entry) })
}

/** Returns why, according to Stripe, the checkout would refuse the coupon that an undo restores. */
async function refusalOf(
  { before }: Pick<HistoryEntry, 'before'>,
  { store }: ServiceParts,
  couponWatcher?: ServiceParts['couponWatcher'],
): Promise<Reason | null> {
  if (!before || isScheduled(before) || before.coupon === null) return null
  const refusal = await couponWatcher?.refusalOf(before)
  if (refusal !== undefined) return refusal
  return store.offers.lastRefusal(before.coupon)
}

/**
 * Finds the entry to undo before asking Stripe about its coupon, because a newer entry may exist once Stripe answers.
 *
 * @throws Problem `conflict` if the undo would restore a coupon that the checkout refuses
 */
async function redeemable(id: number | null, service: ServiceParts): Promise<number | null> {
  const { store } = service
  // Due starts and ends become history entries too, so they are stored before the entry is chosen.
  await recordTransitions(service)
  const entry = await store.offers.undoable(id)
  const isPossible =
    entry && undoRefusal(entry, await boardNow(service), service.clock.now()) === undefined
  const refusal = isPossible ? await refusalOf(entry, service, service.couponWatcher) : null
  if (!refusal) return entry?.id ?? id
  throw new Problem('conflict', `The checkout would refuse that offer. ${REASONS[refusal]}`, {
    details: { reason: refusal },
  })
}

const boardNow = async ({ store, clock }: ServiceParts) =>
  advance(await store.load(), clock.now()).board

/** Stores the starts and ends that are due. If that fails, this logs the error, and the caller continues. */
const recordTransitions = ({ commands, log }: ServiceParts) =>
  commands.recordTransitions().catch((error) => {
    log.warn({ error: describeError(error) }, 'could not record due starts or ends')
  })
