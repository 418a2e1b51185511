import type { WireAnnouncement } from '../core/announcement.ts'
import { ANNOUNCEMENT_TYPES } from '../core/fields.ts'
import { shellCommand } from '../core/shell-command.ts'
import { zoneOf } from '../core/times.ts'
import { clientFor } from './access.ts'
import { bold, describe, describeEntry, dim, type LocalClock, when } from './describe.ts'
import { OPTIONS } from './options.ts'
import { number, type Print, readArgs, UsageError } from './usage.ts'

/** `placard current` */
export async function current(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, OPTIONS.current)
  const clock = { now: Date.now(), zone: zoneOf(values.zone) }
  const { client } = await clientFor(values, null)
  const event = await client.current()
  if (values.json) return print(JSON.stringify({ event }))
  print(event ? describe(event, clock) : 'Nothing is showing.')
}

/** `placard list`: the slot of each type, which of them shows and why, and what comes next. */
export async function list(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, OPTIONS.list)
  const clock = { now: Date.now(), zone: zoneOf(values.zone) }
  const { client } = await clientFor(values)
  const [slots, scheduled] = await Promise.all([client.slots(), client.scheduled()])
  const showing = slots.find(({ pausedSince }) => pausedSince === undefined)
  if (values.json) {
    return print(JSON.stringify({ showing: showing?.id ?? null, slots, scheduled }))
  }
  const blocks: string[] = []
  for (const type of ANNOUNCEMENT_TYPES) {
    const one = slots.find((slot) => slot.type === type)
    const why = whyOf(one, showing, clock)
    blocks.push(`${bold(type)}  ${dim(why)}${one ? `\n${indent(describe(one, clock))}` : ''}`)
  }
  if (scheduled.length > 0) {
    const coming = scheduled.map((one) => indent(describe(one, clock)))
    blocks.push([bold('scheduled'), ...coming].join('\n'))
  }
  print(blocks.join('\n'))
}

function whyOf(
  one: WireAnnouncement | undefined,
  showing: WireAnnouncement | undefined,
  clock: LocalClock,
): string {
  if (!one) return 'empty'
  if (one.pausedSince) return `paused: Stripe hasn't answered since ${when(one.pausedSince, clock)}`
  if (one === showing) return 'showing, as it is the most recent'
  return `waiting, as the ${showing?.type} is more recent`
}

/** `placard history` */
export async function history(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, OPTIONS.history)
  const clock = { now: Date.now(), zone: zoneOf(values.zone) }
  const limit = number('limit', values.limit) ?? 20
  const { client, url } = await clientFor(values)
  const page = await client.history({ limit, before: values.before })
  if (values.json) return print(JSON.stringify(page))
  const { entries, next } = page
  if (entries.length === 0) return print('Nothing has happened yet.')
  const lines = entries.map((entry) => describeEntry(entry, clock))
  if (next !== null) lines.push(dim(`More: ${shellCommand(`history --before ${next}`, url)}`))
  print(lines.join('\n'))
}

/** `placard undo [ID]` */
export async function undo(args: string[], print: Print): Promise<void> {
  const { values, positionals } = readArgs(args, OPTIONS.undo, true)
  const [id, ...more] = positionals
  if (more.length > 0 || (id !== undefined && !/^\d+$/.test(id))) {
    throw new UsageError('Name one entry by its number, as placard history shows it')
  }
  const clock = { now: Date.now(), zone: zoneOf(values.zone) }
  const { client } = await clientFor(values)
  const { entry } = await client.undo(id)
  const { entries } = await client.history({ limit: 1, before: String(Number(entry) + 1) })
  const [made] = entries
  if (values.json) return print(JSON.stringify({ ok: true, entry: made ?? { id: entry } }))
  print(made ? describeEntry(made, clock) : `Undone, as entry ${entry}.`)
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
