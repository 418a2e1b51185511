import { type Client, ClientError } from '../client/client.ts'
import type { AnnouncementType } from '../core/fields.ts'
import { canonicalTag } from '../core/language.ts'
import type { Issue } from '../core/problem.ts'
import { endAfter, parseTime } from '../times/parse.ts'
import { clientFor } from './access.ts'
import { bold, dim, type LocalClock, localClock, when, yellow } from './describe.ts'
import { OPTIONS } from './options.ts'
import { escapeControls } from './terminal.ts'
import { assertNotRewritten, type Output, readArgs, UsageError } from './usage.ts'

/** `placard publish TEXT`: publishes an announcement, then prints which announcements are live, replaced and next. */
export async function publish(args: string[]): Promise<Output> {
  const { values, positionals } = readArgs(args, OPTIONS.publish, true)
  const [text, ...more] = positionals
  if (text === undefined) throw new UsageError('Give the text to publish')
  if (more.length > 0) throw new UsageError('Put the text in quotes: it must be one argument')
  assertNotRewritten('--slug', values.slug)
  const clock = localClock(values.zone)
  const { startsAt, expiresAt } = await timesIn(values, clock)
  const { client, url } = await clientFor(values)
  const { id, message, warnings } = await client.publish({
    text,
    type: values.type as AnnouncementType,
    slug: values.slug,
    icon: values.icon,
    expiresAt,
    startsAt,
    translations: byLanguage('--translation', values.translation),
    slugs: byLanguage('--slug-for', values['slug-for']),
    language: values.language,
  })
  if (values.json) return { ok: true, id, message, warnings }
  // The announcement has been saved, and a failed look-up must not suggest otherwise.
  const around = await situation(client, id, url, clock).catch(() => [])
  const isLater = startsAt !== undefined && Number(startsAt) > clock.now
  const lines = [isLater ? 'Scheduled.' : 'Published.', ...around]
  if (startsAt && !isLater) {
    lines.push(yellow(`! --from was ${when(startsAt, clock)}, so the announcement starts now`))
  }
  return [...lines, ...warned(warnings), escapeControls(id)].join('\n')
}

/** A line for each warning. If the path has a language's tag after the field, the line begins with that tag. */
export const warned = (warnings: readonly Issue[]): string[] =>
  warnings.map(({ path, message }) => {
    const [, tag] = escapeControls(path).split('.')
    return yellow(`! ${tag === undefined ? '' : `${tag}: `}${escapeControls(message)}`)
  })

type Times = Partial<Record<'from' | 'until' | 'for', string | undefined>>

/** Checks that at most one of a command's options sets the end time. @throws UsageError */
export function assertOneEnd({ until, for: span }: Times): void {
  if (until === undefined || span === undefined) return
  throw new UsageError('Give only one of --until and --for')
}

/**
 * Converts the start and end times in a command's options to the API's format.
 *
 * @param usualStart the time from which `--for` counts if there is no `--from`: milliseconds since 1970. Default: now
 * @throws UsageError, TimeError
 */
export async function timesIn(values: Times, { zone, now }: LocalClock, usualStart?: string) {
  const { from, until, for: span } = values
  assertOneEnd(values)
  const read = (name: string, text: string, endOfDay = false) =>
    parseTime(text, { name, zone, now, endOfDay })
  const start = from === undefined ? undefined : await read('--from', from)
  const end =
    until !== undefined
      ? await read('--until', until, true)
      : span === undefined
        ? undefined
        : endAfter(start ?? (await read('--for', usualStart ?? String(now))), span, '--for')
  return {
    startsAt: start && String(start.epochMilliseconds),
    expiresAt: end && String(end.epochMilliseconds),
  }
}

/**
 * Parses the values of `--translation` or `--slug-for`, one for each language, such as `de=Text`.
 *
 * @throws UsageError
 */
export function byLanguage(
  option: '--translation' | '--slug-for',
  given: string[] | undefined,
): Record<string, string> | undefined {
  if (!given) return undefined
  const values: Record<string, string> = {}
  const isLink = option === '--slug-for'
  for (const one of given) {
    const [, written, value] = /^([\w-]+)=(.+)$/s.exec(one) ?? []
    if (!written || !value) {
      throw new UsageError(`${option} must be TAG=${isLink ? 'LINK' : 'TEXT'}, not "${one}"`)
    }
    if (isLink) assertNotRewritten(option, value)
    // `edit` merges these with the stored ones, whose tags are canonical.
    const tag = canonicalTag(written) ?? written
    if (Object.hasOwn(values, tag)) throw new UsageError(`Give only one ${option} for ${tag}`)
    values[tag] = value
  }
  return values
}

/** Gives the announcement's start and end times, and says which announcements are live, replaced and next. */
export async function situation(
  client: Client,
  id: string,
  url: string,
  clock: LocalClock,
): Promise<string[]> {
  const [slots, scheduled, { entries }] = escapeControls(
    await Promise.all([client.slots(), client.scheduled(), client.history({ limit: 20 })]),
  )
  const current = slots.find(({ pausedSince }) => pausedSince === undefined)
  const lines: string[] = []
  const own = scheduled.find((one) => one.id === id)
  if (own) lines.push(`  Starts ${when(own.startsAt, clock)}`)
  const end = (own ?? slots.find((one) => one.id === id))?.expiresAt
  if (end) lines.push(`  Ends ${when(end, clock)}`)
  if (current) {
    const which = own ? 'Showing until it starts' : 'Showing now'
    lines.push(`  ${which}: ${bold(current.text)} → ${current.slug} ${dim(`at ${url}/`)}`)
  }
  const { before = null, after: made = null } =
    entries.find((entry) => entry.after?.id === id && entry.action !== 'scheduled') ?? {}
  if (before && before.id !== id) lines.push(`  It replaced: ${before.text}`)
  const type = own?.type ?? made?.type
  const next = scheduled.find((one) => one.type === type && one.id !== id)
  if (next) lines.push(`  Next ${next.type}: ${next.text}, starts ${when(next.startsAt, clock)}`)
  return lines
}

/**
 * Says what visitors see after a change. If the look-up fails, says nothing, because the change is stored all the same.
 */
export const showingNow = async (client: Client): Promise<string[]> =>
  client.current().then(
    (live) => {
      const event = escapeControls(live)
      return [
        event ? `  Showing now: ${bold(event.text)} → ${event.slug}` : '  Nothing is live now.',
      ]
    },
    () => [],
  )

/** The error for an id that no announcement has. */
export const noneWith = (id: string): ClientError => {
  const message = `No published or scheduled announcement has the id ${id}`
  return new ClientError(`${message}. placard list shows the ids`, 404)
}

/** `placard withdraw`: takes an announcement down. */
export async function withdraw(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.withdraw)
  const { type, id } = values
  if ((type === undefined) === (id === undefined)) {
    throw new UsageError('Give --type TYPE or --id ID')
  }
  const selector = id === undefined ? { type: type as AnnouncementType } : { id }
  const { client } = await clientFor(values)
  const { deleted, message } = await client.withdraw(selector)
  // If no announcement has the type, the person has what they want, but an unknown id is a mistake.
  if (deleted === 0 && id !== undefined) throw noneWith(id)
  if (values.json) return { ok: true, deleted, message }
  const done = deleted > 0 ? 'Taken down.' : `No ${type} announcement is published.`
  const scheduled =
    type === undefined
      ? 0
      : await client.scheduled().then(
          (all) => all.filter((one) => one.type === type).length,
          () => 0,
        )
  const left = scheduled > 0 ? [`  Still scheduled: ${scheduled}. placard list shows the ids`] : []
  return [done, ...(await showingNow(client)), ...left].join('\n')
}
