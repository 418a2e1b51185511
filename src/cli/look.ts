import type { WireAnnouncement } from '../core/announcement.ts'
import { ANNOUNCEMENT_TYPES } from '../core/fields.ts'
import { shellCommand } from '../core/shell-command.ts'
import { clientFor } from './access.ts'
import { bold, clockIn, describe, describeEntry, dim, type LocalClock, when } from './describe.ts'
import { OPTIONS } from './options.ts'
import { type Answer, readArgs, UsageError } from './usage.ts'

/** `placard current`: shows the live announcement. */
export async function current(args: string[]): Promise<Answer> {
  const { values } = readArgs(args, OPTIONS.current)
  const clock = clockIn(values.zone)
  const { client } = await clientFor(values, null)
  const event = await client.current()
  if (values.json) return { event }
  return event ? describe(event, clock) : 'Nothing is live.'
}

/** `placard list`: shows the announcement of each type, which one is live and why, and the schedule. */
export async function list(args: string[]): Promise<Answer> {
  const { values } = readArgs(args, OPTIONS.list)
  const clock = clockIn(values.zone)
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
export async function history(args: string[]): Promise<Answer> {
  const { values } = readArgs(args, OPTIONS.history)
  const clock = clockIn(values.zone)
  const { client, url } = await clientFor(values)
  const page = await client.history({ limit: Number(values.limit ?? 20), before: values.before })
  if (values.json) return page
  const { entries, next } = page
  if (entries.length === 0) return 'Nothing has happened yet.'
  const lines = entries.map((entry) => describeEntry(entry, clock))
  if (next !== null) lines.push(dim(`More: ${shellCommand(`history --before ${next}`, url)}`))
  return lines.join('\n')
}

/** `placard undo [ENTRY]`: undoes a change, and prints the history entries of the undo. */
export async function undo(args: string[]): Promise<Answer> {
  const { values, positionals } = readArgs(args, OPTIONS.undo, true)
  const [id, ...more] = positionals
  if (more.length > 0 || (id !== undefined && !/^\d+$/.test(id))) {
    throw new UsageError('Give the number of one entry: placard history shows it')
  }
  const clock = clockIn(values.zone)
  const { client } = await clientFor(values)
  const { entry } = await client.undo(id)
  // Undoing an early publication writes two entries: the second one reschedules the announcement (contract R9).
  const { entries } = await client.history({ limit: 2, before: String(Number(entry) + 2) })
  const made = entries.filter(({ id, by }) => Number(id) >= Number(entry) && by.undoing)
  if (values.json) return { ok: true, entry: made.at(-1) ?? { id: entry } }
  return made.map((one) => describeEntry(one, clock)).join('\n')
}
