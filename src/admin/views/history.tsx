import { Fragment, type ReactElement } from 'react'
import type { AnnouncementType } from '../../announcement.ts'
import type { WireAnnouncement, WireHistoryEntry, WireScheduled } from '../../client.ts'
import { changedTexts, type REASONS } from '../../history.ts'
import { undoRefusalOf } from '../board.ts'
import type { Words } from '../words.ts'
import { type BoardProps, Languages } from './rows.tsx'
import { Time, When } from './time.tsx'

interface HistoryProps extends BoardProps {
  entries: readonly WireHistoryEntry[]
  /** The id to go on before, or `null` after the oldest. */
  next: string | null
  /** Whether these are not the newest. */
  older: boolean
}

/** What happened: who, when, how, before and after (contract R8). */
export function History(props: HistoryProps): ReactElement {
  const { words, base, entries, next, older } = props
  const { history } = words
  return (
    <section
      className="history"
      aria-labelledby="history-title"
      {...(!older && { 'data-part': 'history', 'data-state': stateOf(entries) })}
    >
      <h1 id="history-title">{history.title}</h1>
      {entries.length === 0 && <p className="empty">{history.empty}</p>}
      <ol className="entries">
        {entries.map((entry) => (
          <Entry key={entry.id} {...props} entry={entry} />
        ))}
      </ol>
      <div className="pages">
        {older && <a href={`${base}/history`}>{history.newest}</a>}
        {next !== null && <a href={`${base}/history?before=${next}`}>{history.older}</a>}
      </div>
    </section>
  )
}

/** What a page shows of the history, if it shows the newest. */
export const stateOf = ([newest]: readonly WireHistoryEntry[]): string => newest?.id ?? ''

type EntryProps = HistoryProps & { entry: WireHistoryEntry }

function Entry(props: EntryProps): ReactElement {
  const { entry, words, base } = props
  const { history } = words
  const { id, at, action, by, before, after, reason } = entry
  const draft = after ?? before
  return (
    <li id={`entry-${id}`} data-action={action}>
      <div className="what">
        <span>
          <span className="action">{history.actions[actionOf(entry)]}</span>
          {typesOf(entry).map((type) => (
            <Fragment key={type}>
              {' '}
              <span className="tags">{words.types[type]}</span>
            </Fragment>
          ))}
        </span>
        <Time at={Number(at)} words={words} />
        <span className="by">
          {by.name !== undefined && <bdi>{history.by(by.name)}</bdi>} {history.via[by.via]}
        </span>
      </div>
      <div>
        {before && <Side words={words} label={history.before} one={before} other={after} gone />}
        {after && <Side words={words} label={history.after} one={after} other={before} />}
        {reason !== undefined && <p className="hint">{reasonOf(reason, words)}</p>}
        {by.coupon !== undefined && <p className="facts">{words.now.stripe(by.coupon)}</p>}
        {by.notification !== undefined && (
          <p className="facts">{history.notification(by.notification)}</p>
        )}
        {by.undoing !== undefined && (
          <p className="facts">
            <a href={`${base}/history?before=${Number(by.undoing) + 1}`}>
              {history.undoes(by.undoing)}
            </a>
          </p>
        )}
      </div>
      <div className="actions">
        {draft && (
          <a href={`${base}?entry=${id}`} data-deed>
            {history.restore}
          </a>
        )}
        <Undo {...props} />
      </div>
    </li>
  )
}

/** What is said to have been done: what leaves the schedule has another name than what is taken down. */
export function actionOf({ action, before }: WireHistoryEntry): keyof Words['history']['actions'] {
  return action === 'withdrawn' && before && 'startsAt' in before ? 'unscheduled' : action
}

/** What an entry is about: two types, if an edit in the schedule made one of the other. */
function typesOf({ before, after, by }: WireHistoryEntry): AnnouncementType[] {
  const types = [before, after].flatMap((one) => one?.type ?? [])
  // A notification that was ignored is about a coupon, though nothing came of it.
  return types.length > 0 || by.coupon === undefined ? [...new Set(types)] : ['coupon']
}

/** What undoes an entry, or why that can't be done any more. */
function Undo({ entry, entries, board, now, words, base, older }: EntryProps): ReactElement | null {
  const { history } = words
  const { id, before, after } = entry
  const refusal = undoRefusalOf(entry, board, now) ?? (isRefused(entry, entries) && 'refused')
  if (refusal === 'not_undoable') return null
  if (refusal) {
    const isSpent = refusal === 'changed_since' && isUndone(id, entries)
    return <p className="hint">{history.noUndo[isSpent ? 'undone' : refusal]}</p>
  }
  return (
    <details className="sure" name="sure">
      <summary>{history.undo}</summary>
      <form method="post" action={`${base}/undo`} data-deed={older ? 'leave' : ''}>
        <p>{before ? history.undoSure.back : history.undoSure.gone}</p>
        <p>
          <bdi>{(before ?? after)?.text}</bdi>
        </p>
        <input type="hidden" name="id" value={id} />
        <button type="submit" className="primary">
          {history.undo}
        </button>
      </form>
    </details>
  )
}

/** Whether one of these entries undid it, and was not undone in turn. */
function isUndone(id: string, entries: readonly WireHistoryEntry[]): boolean {
  return entries.some((one) => one.by.undoing === id && !isUndone(one.id, entries))
}

/** Why the checkout refuses a coupon (contract W5). */
const REFUSALS = new Set<string | undefined>([
  'coupon_deleted',
  'coupon_expired',
  'coupon_used_up',
  'coupon_not_valid',
] satisfies (keyof typeof REASONS)[])

/** Whether Stripe, by these entries, said last that the checkout refuses the coupon that would come back. */
function isRefused({ before }: WireHistoryEntry, entries: readonly WireHistoryEntry[]): boolean {
  const coupon = before ? couponOf(before) : undefined
  if (coupon === undefined) return false
  const last = entries.find(
    ({ by, before, after }) =>
      by.via === 'stripe' &&
      [by.coupon, ...[before, after].map((one) => one && couponOf(one))].includes(coupon),
  )
  if (last?.action !== 'withdrawn') return last !== undefined && REFUSALS.has(last.reason)
  // What was taken down because Stripe was silent may come back.
  return !last.reason?.startsWith('Stripe: no answer')
}

const couponOf = (one: WireAnnouncement | WireScheduled) =>
  'coupon' in one ? one.coupon : undefined

export function reasonOf(reason: string, { history }: Words): string {
  const reasons: Record<string, string> = history.reasons
  return reasons[reason] ?? history.because(reason)
}

/** When it starts and ends, if that is known. */
function Span({
  one,
  words,
}: {
  one: WireAnnouncement | WireScheduled
  words: Words
}): ReactElement | null {
  const starts = 'startsAt' in one && one.startsAt
  if (!starts && one.expiresAt === undefined) return null
  return (
    <span className="facts">
      {starts && <When what={words.next.starts} at={Number(starts)} words={words} />}
      {one.expiresAt !== undefined && (
        <When what={words.now.until} at={Number(one.expiresAt)} words={words} />
      )}
    </span>
  )
}

function Side({
  words,
  label,
  one,
  other,
  gone = false,
}: {
  words: Words
  label: string
  one: WireAnnouncement | WireScheduled
  other: WireAnnouncement | WireScheduled | null
  gone?: boolean
}): ReactElement {
  const Text = gone ? 'del' : Fragment
  return (
    <p className="content" data-gone={gone || undefined}>
      <span className="hidden">{label}</span>{' '}
      <Text>
        <bdi className="words">{one.text}</bdi>
      </Text>{' '}
      <bdi className="link">{one.slug}</bdi>
      {'coupon' in one && one.coupon !== undefined && (
        <bdi className="tags">{words.now.stripe(one.coupon)}</bdi>
      )}
      <Languages of={one} words={words} />
      {changedTexts(one, other).map(([tag, text]) => (
        <span key={tag} className="tags">
          <bdi>{tag}</bdi>:{' '}
          <bdi lang={tag}>
            <Text>{text}</Text>
          </bdi>
        </span>
      ))}
      <Span one={one} words={words} />
    </p>
  )
}
