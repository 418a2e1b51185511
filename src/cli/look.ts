import { ClientError } from '../client/client.ts'
import type { WireAnnouncement } from '../core/announcement.ts'
import { ANNOUNCEMENT_TYPES } from '../core/fields.ts'
import type { WireHistoryEntry } from '../core/history.ts'
import { REASONS } from '../core/messages.ts'
import { shellCommand } from '../core/shell-command.ts'
import { clientFor } from './access.ts'
import {
  bold,
  describe,
  describeEntry,
  dim,
  type LocalClock,
  localClock,
  when,
} from './describe.ts'
import { OPTIONS } from './options.ts'
import { showingNow } from './publish.ts'
import { escapeControls } from './terminal.ts'
import { type Output, readArgs, UsageError } from './usage.ts'

/** `placard current`: shows the live announcement. */
export async function current(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.current)
  const clock = localClock(values.zone)
  const { client } = await clientFor(values, null)
  const event = await client.current()
  if (values.json) return { event }
  return event ? describe(event, clock) : 'Nothing is live.'
}

/** `placard list`: shows the announcement of each type, which one is live and why, and the schedule. */
export async function list(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.list)
  const clock = localClock(values.zone)
  const { client } = await clientFor(values)
  const [slots, scheduled] = await Promise.all([client.slots(), client.scheduled()])
  const showing = slots.find(({ pausedSince }) => pausedSince === undefined)
  if (values.json) return { showing: showing?.id ?? null, slots, scheduled }
  const indented = (one: Parameters<typeof describe>[0]) =>
    describe(one, clock).replace(/^/gm, '  ')
  const lines: string[] = []
  for (const type of ANNOUNCEMENT_TYPES) {
    const one = slots.find((slot) => slot.type === type)
    lines.push(`${bold(type)}  ${dim(whyOf(one, showing, slots[0], clock))}`)
    if (one) lines.push(indented(one))
  }
  if (scheduled.length > 0) lines.push(bold('scheduled'), ...scheduled.map(indented))
  return lines.join('\n')
}

function whyOf(
  one: WireAnnouncement | undefined,
  showing: WireAnnouncement | undefined,
  newest: WireAnnouncement | undefined,
  clock: LocalClock,
): string {
  if (!one) return 'empty'
  if (one.pausedSince)
    return `paused: Stripe hasn't confirmed it since ${when(one.pausedSince, clock)}`
  if (one === newest && one === showing) return 'live, because it is the newest'
  if (one === showing) return `live while the newer ${newest?.type} announcement is paused`
  return `hidden behind the newer ${showing?.type} announcement`
}

/** `placard history`: lists the latest changes. */
export async function history(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.history)
  const clock = localClock(values.zone)
  const { client, url } = await clientFor(values)
  const page = await client.history({ limit: Number(values.limit ?? 20), before: values.before })
  if (values.json) return page
  const { entries, next } = page
  if (entries.length === 0) return 'Nothing has happened yet.'
  const lines = entries.map((entry) => describeEntry(entry, clock))
  if (next !== null) lines.push(dim(`More: ${shellCommand(`history --before ${next}`, url)}`))
  return lines.join('\n')
}

/** `placard undo [ENTRY]`: undoes a change, and prints the history entries of the undo and what visitors see now. */
export async function undo(args: string[]): Promise<Output> {
  const { values, positionals } = readArgs(args, OPTIONS.undo, true)
  const [id, ...more] = positionals
  if (more.length > 0 || (id !== undefined && !/^\d+$/.test(id))) {
    throw new UsageError('Give the number of one entry: placard history shows it')
  }
  const clock = localClock(values.zone)
  const { client, url } = await clientFor(values)
  const { entry } = await client.undo(id).catch(async (error) => {
    if (!(error instanceof ClientError) || error.status !== 409) throw error
    const { entries } = await client.history({ limit: 200 }).catch(() => ({ entries: [] }))
    const explained = escapeControls(whyNot(entries, id, url) ?? error.message)
    throw Object.assign(error, { message: explained })
  })
  // Undoing an early publication writes two entries: the second one reschedules the announcement (contract R9).
  const { entries } = await client.history({ limit: 2, before: String(Number(entry) + 2) })
  const made = entries.filter(({ id, by }) => Number(id) >= Number(entry) && by.undoing)
  if (values.json) return { ok: true, entry: made.at(-1) ?? { id: entry } }
  const described = made.map((one) => describeEntry(one, clock))
  return [...described, ...(await showingNow(client))].join('\n')
}

/** What a history entry's `undo` code means, as the end of a sentence about the entry. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_undoable: "that kind of entry can't be undone",
  ended: 'the announcement to restore has ended, or its start has passed',
}

/**
 * Says which entry an undo was about, why it can't be undone, and which older entry can.
 *
 * @param entries the latest entries, newest first
 * @param id the entry that the person named, if they named one
 */
function whyNot(
  entries: readonly WireHistoryEntry[],
  id: string | undefined,
  url: string,
): string | undefined {
  const at = entries.findIndex((one) =>
    id === undefined ? !one.by.undoing && one.undo !== 'not_undoable' : one.id === id,
  )
  const entry = entries[at]
  if (!entry || entry.undo === 'possible') return undefined
  const undone = entries.find(({ by }) => by.undoing === entry.id)
  const since = entries
    .slice(0, at)
    .find((one) => one.action !== 'ignored' && typeOf(one) === typeOf(entry))
  const why = undone
    ? `entry ${undone.id} has already undone it`
    : entry.undo === 'changed_since'
      ? `the announcement has changed since${since ? `, in entry ${since.id} (${since.action})` : ''}`
      : (REFUSALS[entry.undo] ?? REASONS[entry.undo] ?? entry.undo)
  const text = (entry.after ?? entry.before)?.text
  const older = entries.slice(at + 1).find((one) => one.undo === 'possible' && !one.by.undoing)
  const next = older
    ? `To go further back, run: ${shellCommand(`undo ${older.id}`, url)}`
    : 'No older entry can be undone'
  return `Entry ${entry.id} (${entry.action}${text ? ` “${text}”` : ''}) can't be undone: ${why}. ${next}`
}

const typeOf = ({ before, after }: WireHistoryEntry) => (after ?? before)?.type
