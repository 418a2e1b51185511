/** @jsxImportSource hono/jsx */
import type { Client, DraftInput } from '../client/client.ts'
import { fill } from '../core/messages.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import { seeOther } from './answers.ts'
import { apiFor, refusalIn } from './api.ts'
import { boardFrom } from './as-board.ts'
import { conflictIn } from './conflict.ts'
import type { Visit } from './door.tsx'
import { draftFields, type Fields, fieldsOf, readFields, readForm } from './form.ts'
import type { Pages } from './pages.tsx'
import { reasonOf } from './views/history.tsx'
import { type Notice, pathOf } from './views/shell.tsx'
import { saidOf } from './words.ts'

/** How often something else may change while a draft is put up. */
const MAX_TRIES = 3

/** What a person who is signed in may do: what the API may (contract O4). */
export function createActions({
  placard,
  base,
  pages,
}: {
  placard: Placard
  base: string
  pages: Pages
}) {
  const { clock } = internalsOf(placard)

  /** Does what a button of a row says, and shows the page again, with what came of it. */
  async function press(
    visit: Visit,
    view: 'announcement' | 'history',
    work: (api: Client, id: string) => Promise<keyof Visit['words']['done']>,
  ): Promise<Response> {
    const form = await readForm(visit.request)
    const shown = form.get('view') === 'announcement' ? 'announcement' : view
    try {
      const done = await work(apiFor(placard, visit), form.get('id') ?? '')
      return seeOther(`${pathOf(base, shown)}?done=${done}`)
    } catch (error) {
      const { notice, status, headers } = explain(visit, error)
      if (shown === 'history')
        return withHeaders(headers, pages.historyWith(visit, { notice, status }))
      const empty = draftFields(null, '', clock.now())
      return withHeaders(headers, pages.announcementWith(visit, empty, { notice, status }))
    }
  }

  /**
   * Puts a draft up or into the schedule.
   *
   * @returns why not, if its author doesn't know of it, and the scheduled one that the draft changes, as it was
   */
  async function put(visit: Visit, fields: Fields, input: DraftInput, later: boolean) {
    const api = apiFor(placard, visit)
    for (let tries = MAX_TRIES; ; tries--) {
      const { etag } = await placard.snapshot()
      const board = await boardFrom(api)
      const { conflict } = await conflictIn(api, board, fields, later)
      const before = (await api.scheduled()).find(({ id }) => id === fields.id)
      if (conflict && !conflict.isTold) return { conflict, before }
      try {
        if (before) await api.edit(before.id, input, { ifMatch: before.etag })
        else await api.publish(input, fields.seen === '' ? {} : { ifMatch: etag })
        return { conflict: null, before }
      } catch (error) {
        // Something has changed since the line above. It may be none of what this is about.
        const status = refusalIn(error)?.status
        if ((status !== 412 && status !== 404) || tries === 1) throw error
      }
    }
  }

  return {
    async publish(visit: Visit): Promise<Response> {
      const fields = fieldsOf(await readForm(visit.request))
      const now = clock.now()
      const { input, startsAt, faults, issues } = await readFields(fields, now)
      const { words } = visit
      if (Object.keys(faults).length > 0 || issues.length > 0) {
        const notice: Notice = { kind: 'fault', text: words.faults.title }
        return pages.announcementWith(visit, fields, { notice, status: 422 })
      }
      const later = startsAt !== undefined && startsAt > now
      try {
        const { conflict, before } = await put(visit, fields, input, later)
        if (conflict) {
          // Now they are told what others did, so the next attempt may replace that.
          const notice: Notice = { kind: 'fault', text: words.conflict[conflict.kind] }
          return pages.announcementWith(visit, fields, { notice, status: 412 })
        }
        const saved = Number(before?.startsAt) === startsAt ? 'saved' : 'moved'
        const done = later ? (before ? saved : 'scheduled') : 'published'
        return seeOther(`${base}?done=${done}`, visit.request)
      } catch (error) {
        const { notice, status, issues, headers } = explain(visit, error, true)
        const told = { notice, status, ...(issues && { issues }) }
        return withHeaders(headers, pages.announcementWith(visit, fields, told))
      }
    },

    withdraw: (visit: Visit) =>
      press(visit, 'announcement', async (api, id) => {
        const wasUp = await isUp(api, id)
        const { deleted } = await api.withdraw({ id })
        if (deleted === 0) return 'nothing'
        return wasUp ? 'withdrawn' : 'unscheduled'
      }),

    undo: (visit: Visit) =>
      press(visit, 'history', async (api, id) => {
        await api.undo(id)
        return 'undone'
      }),
  }
}

const isUp = async (api: Client, id: string) => (await api.slots()).some((one) => one.id === id)

/** What a refusal of the API means for a person. @throws what is not one, which is to be logged */
function explain({ words }: Visit, error: unknown, isDraft = false) {
  const refusal = refusalIn(error)
  if (!refusal) throw error
  const { status, issues, retryAfter, reason } = refusal
  const { faults, reasons } = words
  const texts: Record<number, string> = {
    400: faults.title,
    404: faults.gone,
    409:
      reason !== undefined && Object.hasOwn(reasons, reason)
        ? fill(faults.undoRefused, { why: reasonOf(reason, words) })
        : faults.undoChanged,
    412: words.conflict.other,
    413: faults.title,
    429: fill(faults.tooMany, { seconds: retryAfter ?? 1 }),
    503: faults.unavailable,
  }
  // Which field of a draft is at fault, its page says.
  const said = isDraft ? [] : issues.map((issue) => saidOf(issue, words))
  const text = said.length > 0 ? said.join(' ') : (texts[status] ?? faults.unknown)
  const notice: Notice = { kind: 'fault', text }
  return {
    notice,
    status: status === 400 ? 422 : status,
    issues: issues.length > 0 ? issues : undefined,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  }
}

async function withHeaders(headers: Record<string, string>, page: Promise<Response>) {
  const response = await page
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
