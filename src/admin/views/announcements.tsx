import type { Child } from 'hono/jsx'
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { type Board, newest, nextTransition, pickAt, replacementOf } from '../../core/board.ts'
import { ANNOUNCEMENT_TYPES } from '../../core/fields.ts'
import { fill } from '../../core/messages.ts'
import { formatIn } from '../../times/format.ts'
import { stampOf } from '../draft/conflict.ts'
import { localTime, type Words } from '../words.ts'
import { Bar, Languages, Press } from './controls.tsx'
import { Time, Until, When } from './time.tsx'

interface BoardProps {
  words: Words
  base: string
  board: Board
  /** Milliseconds since 1970. */
  now: number
  /** A checksum of the board, which tells the script whether the board has changed. */
  state: string
}

function Row(
  props: Pick<BoardProps, 'words' | 'base'> & {
    one: Announcement | Scheduled
    label: string
    shows?: boolean
    children: Child
  },
) {
  const { one, words, base, label, shows, children } = props
  const { next, types } = words
  return (
    <li id={`row-${one.id}`} data-shows={shows || undefined}>
      <span class="type">{types[one.type]}</span>
      <div>
        <p class="content">
          <bdi class="words">{one.text}</bdi> <bdi class="link">{one.slug}</bdi>
          <Languages tags={Object.keys({ ...one.translations, ...one.slugs })} words={words} />
        </p>
        {children}
      </div>
      <div class="actions">
        <a href={`${base}?edit=${one.id}`}>{next.edit}</a>
        <a href={`${base}?copy=${one.id}`}>{next.duplicate}</a>
        <Press {...{ base, path: 'withdraw', id: one.id, was: stampOf(one), label }} />
      </div>
    </li>
  )
}

/** Shows the announcement of each type, and why it is live, hidden or paused. */
export function Now(props: BoardProps) {
  const { words, board, state } = props
  const { published } = board
  const showing = newest(board)
  const shown = ANNOUNCEMENT_TYPES.flatMap((type) => published.filter((one) => one.type === type))
  return (
    <section class="slots" aria-labelledby="now-title" data-part="now" data-state={state}>
      <h2 id="now-title">{words.now.title}</h2>
      {showing ? (
        <div class="place">
          <Bar event={showing} words={words} />
        </div>
      ) : (
        <p class="empty">
          <b>{words.now.empty}</b> {words.now.emptyHint}
        </p>
      )}
      <ul class="rows">
        {shown.map((event) => (
          <Slot key={event.id} {...props} event={event} showing={showing} />
        ))}
      </ul>
    </section>
  )
}

function Slot(props: BoardProps & { event: Announcement; showing: Announcement | null }) {
  const { words, base, board, event, showing } = props
  const { now } = words
  const { published, paused } = board
  const alone = published.length === 1 || paused != null
  const shows = event === showing
  const replacement = replacementOf(board, event, props.now)
  const why = shows ? (alone ? now.showsAlone : now.shows) : now.waits[showing?.type ?? event.type]
  return (
    <Row one={event} {...{ words, base, shows }} label={now.takeDown}>
      <p class="why">
        {event.id === paused?.id ? <When what={now.paused} at={paused.since} words={words} /> : why}
      </p>
      <p class="facts">
        <When what={now.since} at={event.timestamp} words={words} />
        {replacement ? (
          <Replacement by={replacement} words={words} />
        ) : (
          <Until one={event} words={words} />
        )}
        {event.coupon !== null && <bdi>{fill(now.stripe, { id: event.coupon })}</bdi>}
      </p>
      {event.coupon !== null && <p class="hint">{now.unfeatured}</p>}
    </Row>
  )
}

/** Says when a scheduled announcement will permanently replace the draft or a published announcement. */
export function Replacement({ by, words }: { by: Scheduled; words: Words }) {
  const [before = '', after = ''] = words.now.untilReplaced.split('{when}')
  const [then = '', rest = ''] = after.split('{text}')
  return (
    <span>
      {before}
      <Time at={by.startsAt} words={words} />
      {then}
      <bdi>{by.text}</bdi>
      {rest}
    </span>
  )
}

export function Next({ words, base, board, now }: BoardProps) {
  const { next } = words
  const { scheduled } = board
  const spans = spansOf(board, now)
  return (
    <section class="next" aria-labelledby="next-title" data-part="next">
      <h2 id="next-title">{next.title}</h2>
      {spans.length < 2 && scheduled.length === 0 ? (
        <p class="empty">{next.none}</p>
      ) : (
        <Timeline {...{ words, now, spans }} />
      )}
      {scheduled.length > 0 && (
        <ul class="rows">
          {scheduled.map((one) => (
            <Row key={one.id} {...{ one, words, base }} label={next.remove}>
              <p class="facts">
                <When what={next.starts} at={one.startsAt} words={words} />
                <Until one={one} words={words} />
              </p>
              {spans.every(({ event }) => event?.id !== one.id) && (
                <p class="hint">{next.unseen}</p>
              )}
            </Row>
          ))}
        </ul>
      )}
    </section>
  )
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

function Timeline(props: { words: Words; now: number; spans: ReturnType<typeof spansOf> }) {
  const { words, now, spans } = props
  const { next } = words
  const length = Math.max(HOUR_MS, ((spans.at(-1)?.from ?? now) - now) * 1.1)
  // The slider stops at whole minutes or hours, so that its stops don't depend on when the page was loaded.
  const step = length < DAY_MS ? MINUTE_MS : HOUR_MS
  const onStep = (ms: number) => Math.floor(ms / step) * step
  const share = (ms: number) => Math.min(100, ((ms - now) / length) * 100)
  return (
    <>
      <div class="ahead">
        <label for="at">{next.at}</label>
        <Time at={now} words={words} />
        {/* The script shows the bar that will be live at the slider's time. */}
        {spans.map(({ from, event }) => (
          <div key={from} class="place" data-from={from} hidden={from !== now}>
            {event ? <Bar event={event} words={words} /> : <p class="empty">{next.nothing}</p>}
          </div>
        ))}
        <div class="track">
          {/* SVG rectangles, because widths in style attributes would need 'unsafe-inline'. */}
          <svg class="line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            {spans.map(({ from, event }, i) => (
              <rect
                key={from}
                x={share(from)}
                width={Math.max(0.2, share(spans[i + 1]?.from ?? Infinity) - share(from) - 0.15)}
                height="1"
                data-type={event?.type}
              />
            ))}
          </svg>
          <input
            id="at"
            type="range"
            min={onStep(now)}
            max={Math.round(now + length)}
            step={step}
            value={onStep(now)}
            aria-valuetext={localTime(now, words)}
            lang={words.times}
            data-format={JSON.stringify(formatIn(words.times))}
          />
        </div>
      </div>
      <ol class="spans">
        {spans.map(({ from, event }) => (
          <li key={from}>
            <span data-type={event?.type}>
              {from === now ? words.now.title : <Time at={from} words={words} />}
            </span>
            <span>{event ? <bdi>{event.text}</bdi> : next.nothing}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

/** Lists the announcements that will be live from now on if nobody changes anything (contract R7). */
function spansOf(board: Board, now: number) {
  const spans: { from: number; event: Announcement | null }[] = []
  for (let at = now; at !== Number.POSITIVE_INFINITY; at = nextTransition(board, at)) {
    const event = pickAt(board, at)
    const last = spans.at(-1)
    if (!last || last.event?.id !== event?.id) spans.push({ from: at, event })
  }
  return spans
}
