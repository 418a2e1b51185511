import type { WireAnnouncement, WireScheduled } from '../core/announcement.ts'
import type { AnnouncementType } from '../core/fields.ts'
import { clientFor } from './access.ts'
import { localClock } from './describe.ts'
import { OPTIONS } from './options.ts'
import { assertOneEnd, byLanguage, noneWith, situation, timesIn, warned } from './publish.ts'
import { assertNotRewritten, type Output, readArgs, UsageError } from './usage.ts'

/** The value that removes a field, as in `--icon none`, or a language's text or link, as in `--translation de=none`. */
const NONE = 'none'

/** `placard edit ID [TEXT]`: changes the given fields, and keeps the other fields. */
export async function edit(args: string[]): Promise<Output> {
  const { values, positionals } = readArgs(args, OPTIONS.edit, true)
  const [id, text, ...more] = positionals
  if (id === undefined) throw new UsageError("Give an announcement's id: placard list shows it")
  if (more.length > 0) throw new UsageError('Put the text in quotes: it must be one argument')
  assertNotRewritten('--slug', values.slug)
  const { icon, language } = values
  const changes = Object.keys(OPTIONS.edit).filter((name) => name !== 'as' && name !== 'zone')
  if (text === undefined && !changes.some((name) => name in values)) {
    throw new UsageError('Nothing to change: give the new text, or an option such as --until')
  }
  const ends = values.until !== NONE
  const times = ends ? values : { ...values, until: undefined }
  const clock = localClock(values.zone)
  // Reject invalid options before any request. The times themselves come from the `timesIn` below, which counts `--for`
  // from the start of a scheduled announcement.
  assertOneEnd(values)
  await timesIn(times, clock)
  const translations = byLanguage('--translation', values.translation)
  const slugs = byLanguage('--slug-for', values['slug-for'])
  const { client, url } = await clientFor(values)
  const all: (WireAnnouncement | WireScheduled)[] = [
    ...(await client.slots()),
    ...(await client.scheduled()),
  ]
  const before = all.find((one) => one.id === id)
  if (!before) throw noneWith(id)
  const start = 'startsAt' in before ? before.startsAt : undefined
  const { startsAt, expiresAt } = await timesIn(times, clock, start)
  const { warnings, message } = await client.edit(
    id,
    {
      text: text ?? before.text,
      type: (values.type as AnnouncementType | undefined) ?? before.type,
      slug: values.slug ?? before.slug,
      icon: icon === NONE ? undefined : (icon ?? before.icon),
      expiresAt: ends ? (expiresAt ?? before.expiresAt) : undefined,
      startsAt: startsAt ?? start,
      translations: merged('translation', before.translations, translations),
      slugs: merged('link', before.slugs, slugs),
      language: language === NONE ? undefined : (language ?? before.language),
    },
    { ifMatch: before.etag },
  )
  if (values.json) return { ok: true, id, message, warnings }
  // The edit is stored, and a failed look-up must not suggest otherwise.
  const around = await situation(client, id, url, clock).catch(() => [])
  return ['Saved.', ...around, ...warned(warnings), id].join('\n')
}

/** Replaces, adds and removes texts or links by language. @throws UsageError if one to remove doesn't exist */
function merged(
  what: 'translation' | 'link',
  before: WireAnnouncement['translations'] = {},
  given: typeof before = {},
) {
  const values = { ...before }
  for (const [tag, value] of Object.entries(given)) {
    if (value !== NONE) values[tag] = value
    else if (Object.hasOwn(before, tag)) delete values[tag]
    else throw new UsageError(`There is no ${what} to remove for ${tag}`)
  }
  return values
}
