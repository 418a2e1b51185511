import { Fragment } from 'hono/jsx'
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import type { AnnouncementType } from '../../core/fields.ts'
import { changedIn, type HistoryEntry, isScheduled } from '../../core/history.ts'
import { fill } from '../../core/messages.ts'
import type { ListedEntry, readHistory } from '../../http/history.ts'
import { labelled, type Words } from '../words.ts'
import { Languages, Press } from './controls.tsx'
import { Time, Until, When } from './time.tsx'

type HistoryProps = Awaited<ReturnType<typeof readHistory>> & {
  words: Words
  base: string
  /** Whether this is a page of older entries, not the newest page. */
  older: boolean
}

/** The history: who did what, when and how, with the content before and after (contract R8). */
export function History(props: HistoryProps) {
  const { words, base, entries, next, older } = props
  const { history } = words
  return (
    <section
      class="history"
      aria-labelledby="history-title"
      {...(!older && { 'data-part': 'history', 'data-state': stateOf(entries) })}
    >
      <h1 id="history-title">{history.title}</h1>
      {entries.length === 0 && !older && <p class="empty">{history.empty}</p>}
      <ol class="entries">
        {entries.map((entry) => (
          <Entry key={entry.id} {...props} entry={entry} />
        ))}
      </ol>
      <div class="pages">
        {older && <a href={`${base}/history`}>{history.newest}</a>}
        {next !== null && <a href={`${base}/history?before=${next}`}>{history.older}</a>}
      </div>
    </section>
  )
}

export const stateOf = ([newest]: readonly HistoryEntry[]): string => String(newest?.id ?? '')

type EntryProps = HistoryProps & { entry: ListedEntry }

function Entry(props: EntryProps) {
  const { entry, entries, words, base } = props
  const { history } = words
  const { id, at, action, by, before, after } = entry
  const draft = after ?? before
  const isOnPage = entries.some((one) => one.id === by.undoing)
  // Pausing and resuming change nothing in the announcement, so `before` and `after` are the same.
  const isPause = action === 'paused' || action === 'resumed'
  return (
    <li id={`entry-${id}`} data-action={action}>
      <div class="what">
        <span>
          <span class="action">{history.actions[actionOf(entry)]}</span>
          {typesOf(entry).map((type) => (
            <Fragment key={type}>
              {' '}
              <span class="tags">{words.types[type]}</span>
            </Fragment>
          ))}
        </span>
        <Time at={at} words={words} />
        <span class="by">
          <Author entry={entry} words={words} />
        </span>
      </div>
      <div>
        {before && !isPause && (
          <Side words={words} label={history.before} one={before} other={after} gone />
        )}
        {after && <Side words={words} label={history.after} one={after} other={before} />}
        <Cause {...props} />
        {by.notification !== undefined && (
          <p class="facts">
            {by.event !== undefined && <bdi class="link">{by.event}</bdi>}
            <bdi>{fill(history.notification, { id: by.notification })}</bdi>
          </p>
        )}
        {by.undoing !== undefined && (
          <p class="facts">
            <a href={isOnPage ? `#entry-${by.undoing}` : `?before=${by.undoing + 1}`}>
              {history.undoes}
            </a>
          </p>
        )}
        <Obstacle {...props} />
      </div>
      <div class="actions">
        {entry.undo === 'possible' && (
          <Press base={base} path="undo" id={String(id)} view="history" label={history.undo} />
        )}
        {draft && <a href={`${base}?entry=${id}`}>{history.restore}</a>}
      </div>
    </li>
  )
}

/** Says why an entry can't be undone. */
function Obstacle({ entry: { id, undo }, entries, words: { history } }: EntryProps) {
  if (undo === 'not_undoable' || undo === 'possible') return null
  const reasons: Record<string, string> = history.noUndo
  const isSpent = undo === 'changed_since' && isUndone(id, entries)
  return <p class="facts">{reasons[isSpent ? 'undone' : undo] ?? history.noUndo.refused}</p>
}

/** Whether another entry on the page undid the entry with this id, and wasn't undone itself. */
function isUndone(id: number, entries: readonly ListedEntry[]): boolean {
  return entries.some((one) => one.by.undoing === id && !isUndone(one.id, entries))
}

export function Author(props: { entry: Pick<HistoryEntry, 'action' | 'by'>; words: Words }) {
  const { action, by } = props.entry
  const { history } = props.words
  return (
    <>
      {(action === 'started' || action === 'ended') && `${history.planned} `}
      {by.name !== undefined && <bdi>{fill(history.by, { name: by.name })}</bdi>}{' '}
      {history.via[by.via]}
    </>
  )
}

/** The name to show for an action. Some actions have a different name for a scheduled announcement. */
export function actionOf(entry: HistoryEntry): keyof Words['history']['actions'] {
  const { action, before, after } = entry
  if (!before || !isScheduled(before)) return action
  if (action === 'withdrawn') return 'unscheduled'
  if (action !== 'edited') return action
  // The announcement was published early; the next entry records that.
  if (!after || !isScheduled(after)) return 'unscheduled'
  return before.startsAt === after.startsAt ? 'edited' : 'moved'
}

/** The types in an entry: two if an edit changed the type of a scheduled announcement. */
function typesOf({ before, after, by }: HistoryEntry): AnnouncementType[] {
  const types = [before, after].flatMap((one) => one?.type ?? [])
  // An entry for an ignored notification has no announcement, but the notification is about a coupon.
  return types.length > 0 || by.coupon === undefined ? [...new Set(types)] : ['coupon']
}

/**
 * Gives the reason and names the coupon, which may not be the announced one: deleting any featured coupon takes down
 * the coupon announcement (spec 6).
 */
function Cause({ entry: { by, reason }, words }: EntryProps) {
  const id = by.coupon && fill(words.now.stripe, { id: by.coupon })
  const coupon = by.couponName ? `${id} (\u2068${by.couponName}\u2069)` : id
  if (reason === null) return coupon ? <p class="facts">{coupon}</p> : null
  return (
    <p class="hint">
      {coupon && <b>{labelled(coupon, words)}</b>} {reasonOf(reason, words)}
    </p>
  )
}

export function reasonOf(reason: string, { history, reasons }: Words): string {
  return reasons[reason] ?? fill(history.because, { reason })
}

function Side(props: {
  words: Words
  label: string
  one: Announcement | Scheduled
  other: Announcement | Scheduled | null
  gone?: boolean
}) {
  const { words, label, one, other, gone = false } = props
  const Gone = gone ? 'del' : Fragment
  const isEdited = (of: (side: Announcement | Scheduled) => unknown) =>
    other === null || of(one) !== of(other)
  // Fields that an edit didn't change are shown once.
  const isTold = !gone || isEdited(({ text, slug }) => `${text} ${slug}`)
  // An announcement that was only removed is summed up by its text, its link and the names of its languages.
  const isSummary = gone && other === null
  const named = (['icon', 'language'] as const).filter(
    (name) => !isSummary && isEdited((side) => side[name]),
  )
  const texts = isSummary ? [] : changedIn(one.translations, other?.translations)
  const links = isSummary ? [] : changedIn(one.slugs, other?.slugs)
  const shown = [...texts, ...links].map(([tag]) => tag)
  const others = Object.keys({ ...one.translations, ...one.slugs }).filter(
    (tag) => !shown.includes(tag),
  )
  const startOf = ({ startsAt }: Partial<Scheduled>) => startsAt
  const starts = startOf(one)
  const isTimed = !gone || isEdited((side) => `${startOf(side)} ${side.expiresAt}`)
  if (!isTold && !isTimed && named.length + shown.length === 0) return null
  return (
    <p class="content" data-gone={gone || undefined}>
      <span class="placard-hint">{label}</span>{' '}
      {isTold && (
        <>
          <Gone>
            <bdi class="words">{one.text}</bdi>
          </Gone>{' '}
          <Gone>
            <bdi class="link">{one.slug}</bdi>
          </Gone>
          {'coupon' in one && one.coupon !== null && (
            <bdi class="tags">{fill(words.now.stripe, { id: one.coupon })}</bdi>
          )}
          <Languages tags={others} words={words} />
        </>
      )}
      {named.map(
        (name) =>
          one[name] && (
            <span key={name} class="tags">
              {labelled(words.compose[name === 'icon' ? 'icon' : 'ownLanguage'], words)}{' '}
              <Gone>{one[name]}</Gone>
            </span>
          ),
      )}
      {texts.map(([tag, text]) => (
        <span key={tag} class="tags">
          {labelled(`\u2068${tag}\u2069`, words)}{' '}
          <bdi lang={tag}>
            <Gone>{text}</Gone>
          </bdi>
        </span>
      ))}
      {links.map(([tag, link]) => (
        <span key={tag} class="tags">
          {labelled(`\u2068${tag}\u2069`, words)}{' '}
          <Gone>
            <bdi class="link">{link}</bdi>
          </Gone>
        </span>
      ))}
      {isTimed && (starts !== undefined || one.expiresAt !== null) && (
        <Gone>
          <span class="facts">
            {starts !== undefined && <When what={words.next.starts} at={starts} words={words} />}
            <Until one={one} words={words} />
          </span>
        </Gone>
      )}
    </p>
  )
}
