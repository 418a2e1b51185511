import { kept } from '../../core/once.ts'
import { fromNow } from '../../core/times.ts'
import type { Words } from '../words.ts'

/** An instant in the reader's time zone, with UTC in its title. */
export const Time = ({ at, words }: { at: number; words: Words }) => (
  <time datetime={new Date(at).toISOString()} title={`${formatted(at, 'UTC', words.times)} UTC`}>
    {local(at, words)}
  </time>
)

export const local = (at: number, words: Words): string => formatted(at, words.zone, words.times)

/** A label with an instant: `Until Fri, 27 Nov 2026, 09:00`. */
export function When(props: { what: string; at: number; words: Words }) {
  return (
    <span class="when">
      {props.what} <Time at={props.at} words={props.words} />
    </span>
  )
}

export const Until = ({ one, words }: { one: { expiresAt: number | null }; words: Words }) =>
  one.expiresAt !== null && <When what={words.now.until} at={one.expiresAt} words={words} />

/** Formats an instant in full: `Fri, 27 Nov 2026, 09:00 Europe/Berlin (08:00 UTC, in 6 days)`. */
export function inFull(at: number, zone: string, now: number, tag: string): string {
  const there = `${formatted(at, zone, tag)} ${zone}`
  const relative = fromNow(at, now, zone, tag)
  if (zone === 'UTC') return `${there} (${relative})`
  const and = COMMAS[new Intl.Locale(tag).language] ?? ', '
  // The time in UTC includes the day only if the day differs.
  const sameDay = formatted(at, 'UTC', tag, DAY) === formatted(at, zone, tag, DAY)
  const utc = formatted(at, 'UTC', tag, sameDay ? clockIn(tag) : formatIn(tag))
  return `${there} (${utc} UTC${and}${relative})`
}

/** The separators of languages that don't use a comma and a space. */
const COMMAS: Record<string, string> = { ar: '، ', ja: '、' }

/** Formats instants in `zone`, with their days unless all fall on the same day in both `zone` and `typed`. */
export function clocksOf(instants: readonly number[], zone: string, typed: string, tag: string) {
  const days = [zone, typed].flatMap((one) => instants.map((at) => formatted(at, one, tag, DAY)))
  const parts = new Set(days).size === 1 ? clockIn(tag) : formatIn(tag)
  return instants.map((at) => formatted(at, zone, tag, parts))
}

export const formatIn = (tag: string) => ({ ...DAY, ...clockIn(tag) })

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
/** Clock formats by language and region, cached because resolving a format takes as long as formatting a time. */
const clocks = new Map<string, Intl.DateTimeFormatOptions>()

/** Hours have two digits only on a 24-hour clock: `09:00`, but `9:00 AM`. */
function clockIn(tag: string): Intl.DateTimeFormatOptions {
  return kept(clocks, tag, () => {
    const { hour12 } = new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions()
    return { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit' }
  })
}

function formatted(
  at: number,
  timeZone: string,
  tag: string,
  parts: Intl.DateTimeFormatOptions = formatIn(tag),
): string {
  return new Intl.DateTimeFormat(tag, { ...parts, timeZone }).format(at)
}
