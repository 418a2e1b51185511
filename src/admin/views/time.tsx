import { formatted } from '../../times/format.ts'
import { localTime, type Words } from '../words.ts'

/** An instant in the reader's time zone, with UTC in its title. */
export const Time = ({ at, words }: { at: number; words: Words }) => (
  <time datetime={new Date(at).toISOString()} title={`${formatted(at, 'UTC', words.times)} UTC`}>
    {localTime(at, words)}
  </time>
)

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
