import { iconBody } from '../bar/icon.ts'
import type { Client } from '../client/client.ts'
import { MAX_SCHEDULED } from '../core/announcement.ts'
import { advance } from '../core/board.ts'
import { type Issue, Problem } from '../core/problem.ts'
import { isBlank } from '../core/rules.ts'
import { parsePosting, SCHEDULE_FULL } from '../core/schema.ts'
import { warningsOf } from '../http/warnings.ts'
import { boardFrom, replacedAt } from './as-board.ts'
import { conflictIn } from './conflict.ts'
import { type Fields, readFields } from './form.ts'
import type { PreviewProps } from './views/preview.tsx'
import type { Words } from './words.ts'

/** What the composer's draft would do, by the rules of the API itself. @param now milliseconds since 1970 */
export async function outcomeOf(
  api: Client,
  words: Words,
  fields: Fields,
  now: number,
): Promise<PreviewProps> {
  const reading = await readFields(fields, now)
  let issues = reading.issues
  let warnings: Issue[] = []
  // Nobody has to hear that a text is too short while they begin to write it.
  if (fields.refused || !isBlank(fields.text)) {
    try {
      const { draft } = parsePosting(reading.input, now)
      warnings = await warningsOf(draft, (name) => iconBody(name) !== null)
    } catch (error) {
      const { details } = Problem.from(error)
      issues = [...issues, ...((details.issues as Issue[] | undefined) ?? [])]
    }
  }
  const stored = await boardFrom(api)
  const replaced = replacedAt(stored, fields, now)
  const { startsAt } = reading
  const waits = startsAt !== undefined && startsAt > now
  const { scheduled } = advance(stored, now).board
  if (waits && scheduled.length >= MAX_SCHEDULED && !scheduled.some(({ id }) => id === fields.id)) {
    issues = [...issues, SCHEDULE_FULL]
  }
  const replacedThen = waits ? replacedAt(stored, fields, startsAt) : null
  const { conflict, seen } = await conflictIn(api, stored, fields, waits)
  return {
    words,
    fields: { ...fields, seen },
    reading,
    issues,
    warnings,
    conflict,
    replaced,
    replacedThen,
    now,
  }
}
