import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { isScheduled } from '../../core/history.ts'
import { fill } from '../../core/messages.ts'
import type { Conflict } from '../draft/conflict.ts'
import type { Evaluation } from '../draft/evaluate.ts'
import { Author, actionOf } from './history.tsx'
import { Time } from './time.tsx'

/** The stamps of the announcements that the author has seen: publishing may replace only these. */
export const Seen = ({ value }: { value: string }) => (
  <input type="hidden" name="seen" value={value} form="compose" data-part="seen" />
)

/** Explains a conflict (A17): what changed, who changed it and when, and what publishing the draft would do. */
export function ConflictNote(props: Evaluation & { base: string }) {
  const { words, fields, conflict, base } = props
  if (!conflict) return null
  const { kind, entry, theirs, told } = conflict
  const { history } = words
  return (
    <div class="conflict" role="alert">
      <input type="hidden" name="told" value={told} />
      <p>
        <b>{titleOf(conflict, words)}</b>
      </p>
      {entry && (
        <p>
          {history.actions[actionOf(entry)]} <Author entry={entry} words={words} />,{' '}
          <Time at={entry.at} words={words} />
        </p>
      )}
      {theirs && <Sides {...props} theirs={theirs} />}
      <p>{kind === 'gone' ? words.conflict.asNew : words.conflict.instead}</p>
      {kind !== 'other' && (
        <a href={kind === 'gone' ? base : `${base}?edit=${fields.id}`} data-discard>
          {words.conflict.discard}
        </a>
      )}
    </div>
  )
}

/** Says what changed and, unless the announcement only started or ended, who changed it. */
export function titleOf(
  { kind, entry, theirs }: Conflict,
  { conflict }: Evaluation['words'],
): string {
  // The announcement may have started or ended so recently that the history doesn't say so yet.
  if (kind === 'gone' && (!entry || entry.action === 'ended')) return conflict.ended
  const wasScheduled = !entry?.after || isScheduled(entry.after) || entry.action === 'started'
  if (kind === 'changed' && theirs && !isScheduled(theirs) && wasScheduled) return conflict.started
  const isEdit = kind === 'other' && entry?.action === 'edited'
  const who = entry?.by.via === 'stripe' ? 'Stripe' : (entry?.by.name ?? conflict.somebody)
  return fill(isEdit ? conflict.edited : conflict[kind], { name: `\u2068${who}\u2069` })
}

/** A row of the comparison: a field's label, current value, and value in the draft. Times are numbers. */
type Side = [label: string, ...sides: (string | number | null | undefined)[]]

function Sides({
  words,
  reading: { input, startsAt, expiresAt },
  theirs,
}: Evaluation & { theirs: Announcement | Scheduled }) {
  const { compose, conflict } = words
  const texts = Object.keys({ ...theirs.translations, ...input.translations })
  const links = Object.keys({ ...theirs.slugs, ...input.slugs })
  const all: Side[] = [
    [compose.type, words.types[theirs.type], words.types[input.type]],
    [compose.text, theirs.text, input.text],
    [compose.link, theirs.slug, input.slug],
    [compose.icon, theirs.icon, input.icon],
    [compose.ownLanguage, theirs.language, input.language],
    [compose.from, ...(isScheduled(theirs) ? [theirs.startsAt, startsAt] : [])],
    [compose.until, theirs.expiresAt, expiresAt],
    ...texts.map((tag): Side => [tag, theirs.translations?.[tag], input.translations?.[tag]]),
    ...links.map((tag): Side => {
      return [`${compose.link} (${tag})`, theirs.slugs?.[tag], input.slugs?.[tag]]
    }),
  ]
  const rows = all.filter(([, a, b]) => (a ?? '') !== (b ?? ''))
  if (rows.length === 0) return null
  return (
    <table class="sides">
      <thead>
        <tr>
          <td />
          <th scope="col">{conflict.theirs}</th>
          <th scope="col">{conflict.yours}</th>
        </tr>
      </thead>
      {rows.map(([label, ...sides]) => (
        <tr key={label}>
          <th scope="row">{label}</th>
          {sides.map((side) => (
            <td key={String(side)}>
              {typeof side === 'number' ? <Time at={side} words={words} /> : <bdi>{side}</bdi>}
            </td>
          ))}
        </tr>
      ))}
    </table>
  )
}
