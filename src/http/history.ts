import type { Announcement } from '../core/announcement.ts'
import { advance } from '../core/board.ts'
import { type HistoryEntry, isScheduled, toWireEntry, undoRefusal } from '../core/history.ts'
import { describeError, type Log } from '../core/log.ts'
import { REASONS, type Reason } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'
import { parseHistoryQuery, parseUndo } from '../core/schema.ts'
import type { Store } from '../store/store.ts'
import type { Asking } from '../stripe/asking.ts'
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
  showing,
  clock,
  asking,
  log,
}: Pick<EventsOptions, 'commands' | 'guard' | 'showing' | 'clock'> & {
  store: Store
  asking?: Asking | undefined
  log: Log
}) {
  /** Why the checkout would refuse what comes back: as Stripe says now, or else as it said last. */
  async function refusalOf(one: Announcement): Promise<Reason | null> {
    if (one.coupon === null) return null
    const refusal = await asking?.refusalOf(one)
    return refusal !== undefined ? refusal : ((await store.offers?.lastRefusal(one.coupon)) ?? null)
  }

  /** Why the checkout would refuse what an undo would bring back, as Stripe said last. */
  async function lastRefusalOf({ before }: HistoryEntry): Promise<string | null> {
    if (!before || isScheduled(before) || before.coupon === null) return null
    return (await store.offers?.lastRefusal(before.coupon)) ?? null
  }

  /**
   * Which entry to undo. It is named, because another may be the last one once Stripe has answered.
   *
   * @throws Problem `conflict` if that would bring a coupon back that the checkout refuses
   */
  async function redeemable(id: number | null): Promise<number | null> {
    if (!store.offers) return id
    // Whatever is due is an entry too.
    await recordTransitions()
    const entry = await store.offers.undoable(id)
    const before = entry?.before
    const isRefused = entry && undoRefusal(entry, await boardNow(), clock.now()) !== undefined
    const refusal = before && !isScheduled(before) && !isRefused ? await refusalOf(before) : null
    if (!refusal) return entry?.id ?? id
    throw new Problem('conflict', `The checkout would refuse that offer. ${REASONS[refusal]}`, {
      details: { reason: refusal },
    })
  }

  const boardNow = async () => advance(await store.load(), clock.now()).board

  /** Nobody may have written yet what has started and ended. If that fails, who reads sees what is there. */
  const recordTransitions = () =>
    commands.recordTransitions().catch((error) => {
      log.warn({ error: describeError(error) }, 'could not store a start or an end')
    })

  return {
    read: (request: Request, address: string) =>
      guard.read(request, address, async () => {
        const { limit, before } = parseHistoryQuery(queryOf(request))
        if (!store.watch) await recordTransitions()
        // One more than asked for tells whether there are others.
        const found = await store.history(limit + 1, before)
        const entries = found.slice(0, limit)
        const next = found.length > limit ? String(entries.at(-1)?.id) : null
        const board = await boardNow()
        const told = entries.map(async (entry) => {
          const refusal = undoRefusal(entry, board, clock.now()) ?? (await lastRefusalOf(entry))
          return toWireEntry(entry, refusal ?? 'possible')
        })
        return Response.json({ entries: await Promise.all(told), next }, { headers: NO_STORE })
      }),

    undo: (request: Request, address: string) =>
      guard.write(request, address, async () => {
        const author = authorOf(request, showing)
        const body = await readBytes(request, MAX_JSON_BYTES)
        if (body.byteLength > 0) assertJsonType(request.headers)
        const id = parseUndo(body.byteLength > 0 ? parseJson(body) : {})
        const { entry } = await commands.undo(await redeemable(id), author)
        const answer = { message: 'Undone.', ok: true, entry: String(entry) }
        return Response.json(answer, { headers: NO_STORE })
      }),
  }
}
