/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { type Board, newest, replacementOf } from '../../core/board.ts'
import { ANNOUNCEMENT_TYPES } from '../../core/fields.ts'
import { fill } from '../../core/messages.ts'
import { stampOf } from '../conflict.ts'
import type { Words } from '../words.ts'
import { Bar } from './bar.ts'
import { type BoardState, Content, Press } from './rows.tsx'
import { Time, When } from './time.tsx'

/** The slot of each type, and why its announcement shows or doesn't. */
export function Now(props: BoardState): JSX.Element {
  const { words, board, state } = props
  const { events, paused } = board
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
          <Slot
            key={event.id}
            {...props}
            event={event}
            showing={showing}
            alone={events.length === 1}
            paused={paused}
          />
        ))}
      </ul>
    </section>
  )
}

function Slot(
  props: BoardState & {
    event: Announcement
    showing: Announcement | null
    alone: boolean
    paused: Board['paused']
  },
): JSX.Element {
  const { words, base, board, event, showing, alone, paused } = props
  const { now, types } = words
  const shows = event === showing
  const replacement = replacementOf(board, event, props.now)
  const why = shows ? (alone ? now.showsAlone : now.shows) : now.waits[showing?.type ?? event.type]
  return (
    <li id={`row-${event.id}`} data-shows={shows || undefined} data-id={event.id}>
      <span class="type">{types[event.type]}</span>
      <div>
        <Content draft={event} words={words} />
        <p class="why">
          {event.id === paused?.id ? (
            <When what={now.paused} at={paused.since} words={words} />
          ) : (
            why
          )}
        </p>
        <p class="facts">
          <When what={now.since} at={event.timestamp} words={words} />
          {replacement ? (
            <Replacement by={replacement} words={words} />
          ) : (
            event.expiresAt !== null && <When what={now.until} at={event.expiresAt} words={words} />
          )}
          {event.coupon !== null && <bdi>{fill(now.stripe, { id: event.coupon })}</bdi>}
        </p>
        {event.coupon !== null && <p class="hint">{now.unfeatured}</p>}
      </div>
      <div class="actions">
        <a href={`${base}?edit=${event.id}`} data-deed>
          {words.next.edit}
        </a>
        <a href={`${base}?copy=${event.id}`} data-deed>
          {words.next.duplicate}
        </a>
        <Press
          {...{ base, path: 'withdraw', id: event.id, was: stampOf(event) }}
          label={now.takeDown}
        />
      </div>
    </li>
  )
}

/** Until when it shows, if a scheduled announcement replaces it for good before its end. */
export function Replacement({ by, words }: { by: Scheduled; words: Words }): JSX.Element {
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
