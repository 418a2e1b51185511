import { iconBody } from '../bar/icon.ts'
import { MAX_SCHEDULED } from '../core/announcement.ts'
import { advance, replacementOf } from '../core/board.ts'
import { isScheduled } from '../core/history.ts'
import { issueAt } from '../core/messages.ts'
import { type Issue, Problem } from '../core/problem.ts'
import { isBlank } from '../core/rules.ts'
import { parsePosting, SCHEDULE_FULL } from '../core/schema.ts'
import type { Service } from '../http/service.ts'
import { warningsOf } from '../http/warnings.ts'
import { conflictIn, seenIn, unchanged } from './conflict.ts'
import type { Visit } from './door.tsx'
import { type Fields, readFields } from './form.ts'
import { replacedAt } from './spans.ts'
import type { PreviewProps } from './views/preview.tsx'

/** What publishing the draft would do, by the rules of the API, and a check that this still holds when it is written. */
export async function outcomeOf(
  { store, clock }: Pick<Service, 'store' | 'clock'>,
  { words, look }: Pick<Visit, 'words' | 'look'>,
  fields: Fields,
) {
  const now = clock.now()
  const reading = await readFields(fields, now, words.tag)
  const { startsAt, expiresAt } = reading
  const { board } = advance(await store.load(), now)
  const waits = startsAt !== undefined && startsAt > now
  const edited = [...board.events, ...board.scheduled].find(({ id }) => id === fields.id)
  const edits = !edited ? null : isScheduled(edited) ? 'scheduled' : 'up'
  let issues = reading.issues
  let warnings: Issue[] = []
  // Nobody needs to hear that a text is too short while they begin to type it.
  const isBegun = fields.refused || !isBlank(fields.text)
  if (isBegun) {
    try {
      const { draft } = parsePosting(reading.input, now)
      warnings = await warningsOf(draft, (name) => iconBody(name) !== null)
    } catch (error) {
      const { details } = Problem.from(error)
      issues = [...issues, ...((details.issues as Issue[] | undefined) ?? [])]
    }
  }
  // Nor that a language has no text yet.
  if (!fields.refused) {
    const unwritten = fields.translations.filter(({ text }) => text.trim() === '')
    const paths = new Set(unwritten.map(({ tag }) => `translations.${tag}`))
    issues = issues.filter(({ path }) => !paths.has(path))
  }
  if (waits && edits === 'up') issues = [...issues, issueAt('startsAt', 'already_published')]
  const isFull = board.scheduled.length >= MAX_SCHEDULED
  if (waits && isFull && edits === null) issues = [...issues, SCHEDULE_FULL]
  const conflict = await conflictIn(store, board, fields, waits)
  const isUnwritten = fields.id === '' && !isBegun
  const preview: PreviewProps = {
    words,
    fields: { ...fields, seen: fields.seen === '' || isUnwritten ? seenIn(board) : fields.seen },
    reading,
    issues,
    warnings,
    conflict,
    edits,
    closes: look.float || look.dismissible,
    replaced: edits === 'up' ? null : replacedAt(board, fields, now),
    replacedThen: waits ? replacedAt(board, fields, startsAt) : null,
    replacement: replacementOf(board, { ...fields, expiresAt: expiresAt ?? null }, startsAt ?? now),
    now,
  }
  return { preview, expects: unchanged(fields, board, waits, clock.now) }
}
