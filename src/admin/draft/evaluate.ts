import { knowsIcon } from '../../bar/icon.ts'
import type { Announcement, Draft, Scheduled } from '../../core/announcement.ts'
import {
  advance,
  type Board,
  editRefusals,
  isScheduleFull,
  replacementOf,
  slotOf,
  withId,
} from '../../core/board.ts'
import { isScheduled } from '../../core/history.ts'
import { type Issue, Problem } from '../../core/problem.ts'
import { isBlank } from '../../core/rules.ts'
import { editIssue, entryId, parsePosting, SCHEDULE_FULL } from '../../core/schema.ts'
import type { ServiceParts } from '../../http/service-parts.ts'
import { dismissedOf, warningsOf } from '../../http/warnings.ts'
import type { Visit } from '../visit.ts'
import { localTime } from '../words.ts'
import { conflictIn, editedIn, replacesOnlyKnown, seenIn } from './conflict.ts'
import { draftFields, type Fields } from './fields.ts'
import { readFields } from './read.ts'

/** The composer's initial fields for the link that opened the page; `null` if the link's announcement is gone. */
export async function draftFor(
  { store, clock }: Pick<ServiceParts, 'store' | 'clock'>,
  query: URLSearchParams,
  zone: string,
): Promise<Fields | null> {
  const [edit, copy, entry] = ['edit', 'copy', 'entry'].map((name) => query.get(name))
  const now = clock.now()
  if (!edit && !copy && !entry) return draftFields(null, now, zone)
  let one: Announcement | Scheduled | null | undefined
  const { board } = advance(await store.load(), now)
  if (entry) {
    const id = entryId.safeParse(entry).data
    if (id === undefined) return null
    const [found] = await store.history(1, id + 1)
    if (found?.id === id) one = found.after ?? found.before
  } else {
    one = withId(board, edit || copy || '')
  }
  if (!one) return null
  return { ...draftFields(one, now, zone), id: edit ? one.id : '', seen: seenIn(board) }
}

/**
 * Finds the announcement that a draft would replace at an instant: the published announcement of the draft's type,
 * unless the draft edits that announcement.
 */
function replacedAt(board: Board, { id, type }: Fields, at: number): Announcement | null {
  const published = board.published.filter((one) => one.id !== id)
  const scheduled = board.scheduled.filter((one) => one.id !== id)
  const then = advance({ ...board, published, scheduled }, at).board
  return slotOf(then, type)
}

interface Validated {
  draft?: Draft
  issues: readonly Issue[]
}

/** Validates a draft as the API does. */
function validate(input: unknown, now: number): Validated {
  try {
    return { draft: parsePosting(input, now).draft, issues: [] }
  } catch (error) {
    const { details } = Problem.from(error)
    return { issues: (details.issues as Issue[] | undefined) ?? [] }
  }
}

/** The paths of the translations that have a language but no text or link yet. */
const unwrittenIn = ({ translations }: Fields): string[] =>
  translations
    .filter(({ tag, text, slug }) => tag !== '' && text.trim() === '' && slug === '')
    .map(({ tag }) => `translations.${tag}`)

async function warningsAbout(
  draft: Draft & { id: string; from: number },
  edited: Announcement | Scheduled | undefined,
  board: Board,
  store: ServiceParts['store'],
): Promise<Issue[]> {
  const all = await warningsOf(draft, knowsIcon)
  // The preview measures what a phone cuts off, and shows where.
  const fitting = all.filter(({ code }) => !code.endsWith('_phone'))
  return [...fitting, ...(await dismissedOf(draft, edited, board, store))]
}

/** Says why the checkout may refuse a coupon whose announcement is gone. */
async function warningAboutCoupon(id: string, { offers }: ServiceParts['store']): Promise<Issue> {
  const code = (await offers.lastRefusal(id)) ?? 'unchecked'
  return { path: '', code, message: '', params: { id } }
}

/** Predicts the outcome of publishing a draft. `expects` rejects a write that would overwrite an unseen change. */
export async function evaluateDraft(
  { store, clock }: Pick<ServiceParts, 'store' | 'clock'>,
  { words, look }: Pick<Visit, 'words' | 'look'>,
  sent: Fields,
) {
  const now = clock.now()
  const { board } = advance(await store.load(), now)
  const edited = editedIn(board, sent)
  const published = edited && !isScheduled(edited) ? edited : null
  // A published announcement keeps its type, even one that has started since its author chose another type.
  const written = published ? { ...sent, type: published.type } : sent
  const reading = await readFields(written, now, words)
  const { startsAt, expiresAt } = reading
  // While an editor types the first letters of the text, a message that the text is too short wouldn't help.
  const isBegun = written.refused || !isBlank(written.text)
  const isUnseen = written.seen === '' || (written.id === '' && !isBegun)
  const id = edited?.id ?? written.id
  const fields = { ...written, ...reading.shown, id, seen: isUnseen ? seenIn(board) : written.seen }
  const waits = startsAt !== undefined && startsAt > now
  const edits = published ? ('up' as const) : edited ? ('scheduled' as const) : null
  /** The end of the edited announcement's coupon, in the form's time zone; empty if there is none. */
  const latest = published?.couponEndsAt
    ? localTime(published.couponEndsAt, { ...words, zone: reading.zone })
    : ''

  const validated: Validated = isBegun ? validate(reading.input, now) : { issues: [] }
  // Until publishing is refused, the form doesn't complain about a translation that has no text yet.
  const unwritten = fields.refused ? [] : unwrittenIn(fields)
  // An end that can't be parsed is already an issue. It counts as 0 here, because `null`, which means no end, would be
  // reported as later than the coupon's end too.
  const end = fields.until === '' ? null : (expiresAt ?? 0)
  const refusals = published
    ? editRefusals(published, { type: fields.type, expiresAt: end }, waits ? startsAt : null)
    : []
  const issues: readonly Issue[] = [
    ...[...reading.issues, ...validated.issues].filter(({ path }) => !unwritten.includes(path)),
    ...refusals.map((refusal) => editIssue(refusal, { when: latest })),
    ...(waits && edits === null && isScheduleFull(board) ? [SCHEDULE_FULL] : []),
  ]

  const { draft } = validated
  const from = waits ? startsAt : now
  const warnings = [
    ...(draft ? await warningsAbout({ ...draft, id, from }, edited, board, store) : []),
    ...(!edited && fields.coupon !== '' ? [await warningAboutCoupon(fields.coupon, store)] : []),
  ]

  const evaluation = {
    words,
    fields,
    reading,
    issues,
    warnings,
    conflict: await conflictIn(store, board, fields, waits),
    /** Whether the draft edits a published (`up`) or a scheduled announcement; `null` for a new announcement. */
    edits,
    latest,
    /** Whether the owner's settings let visitors dismiss the bar. */
    closes: look.float || look.dismissible,
    replaced: edits === 'up' ? null : replacedAt(board, fields, from),
    /** The scheduled announcement that would permanently replace the draft before the draft ends. */
    replacement: replacementOf(board, { ...fields, expiresAt: expiresAt ?? null }, startsAt ?? now),
    now,
  }
  return { evaluation, expects: replacesOnlyKnown(fields, waits) }
}

export type Evaluation = Awaited<ReturnType<typeof evaluateDraft>>['evaluation']
