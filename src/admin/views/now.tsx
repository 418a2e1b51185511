/** @jsxImportSource hono/jsx */
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { newest, replacementOf } from '../../core/board.ts'
import { ANNOUNCEMENT_TYPES } from '../../core/fields.ts'
import { fill } from '../../core/messages.ts'
import type { Words } from '../words.ts'
import { Bar } from './bar.ts'
import { type BoardState, Row } from './rows.tsx'
import { Time, Until, When } from './time.tsx'

/** The slot of each type, and why its announcement shows or doesn't. */
export function Now(props: BoardState) {
  const { words, board, state } = props
  const { events } = board
  const showing = newest(board)
  const shown = ANNOUNCEMENT_TYPES.flatMap((type) => events.filter((one) => one.type === type))
  return (
    <section class="slots" aria-labelledby="now-title" data-part="now" data-state={state}>
      <h2 id="now-title">{words.now.title}</h2>
      {showing ? (
        <div class="place">
          <Bar event={showing} locale={words.tag} label="" />
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

function Slot(props: BoardState & { event: Announcement; showing: Announcement | null }) {
  const { words, base, board, event, showing } = props
  const { now } = words
  const { events, paused } = board
  const alone = events.length === 1
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

/** Until when it shows, if a scheduled announcement replaces it for good before its end. */
export function Replacement({ by, words }: { by: Scheduled; words: Words }) {
  const [before = '', after = ''] = words.now.untilReplaced.split('{when}')
  const [then = '', rest = ''] = after.split('{text}')
  return (
    <span class="when">
      {before}
      <Time at={by.startsAt} words={words} />
      {then}
      <bdi>{by.text}</bdi>
      {rest}
    </span>
  )
}
