/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { ANNOUNCEMENT_TYPES, type Announcement } from '../../core/announcement.ts'
import { advance, type Board, newest } from '../../core/board.ts'
import { fill } from '../../core/messages.ts'
import { Bar } from './bar.ts'
import { type BoardState, Content, Press } from './rows.tsx'
import { When } from './time.tsx'

/** What is up: the slot of each type, and why it shows or doesn't. */
export function Now(props: BoardState): JSX.Element {
  const { words, board, now, state, newest: entry } = props
  const { board: current } = advance(board, now)
  const { events, paused } = current
  const showing = newest(current)
  return (
    <section
      class="slots"
      aria-labelledby="now-title"
      data-part="now"
      data-state={state}
      data-newest={entry}
    >
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
        {ANNOUNCEMENT_TYPES.map((type) => (
          <Slot
            key={type}
            {...props}
            type={type}
            event={events.find((one) => one.type === type)}
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
    type: Announcement['type']
    event: Announcement | undefined
    showing: Announcement | null
    alone: boolean
    paused: Board['paused']
  },
): JSX.Element {
  const { words, base, type, event, showing, alone, paused } = props
  const { now, types } = words
  if (!event) {
    return (
      <li data-empty>
        <span class="type">{types[type]}</span>
        <p class="why">{now.none}</p>
      </li>
    )
  }
  const shows = event === showing
  const why = shows ? (alone ? now.showsAlone : now.shows) : now.waits[showing?.type ?? type]
  return (
    <li data-shows={shows || undefined} data-id={event.id}>
      <span class="type">{types[type]}</span>
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
          {event.expiresAt !== null && <When what={now.until} at={event.expiresAt} words={words} />}
          {event.coupon !== null && <bdi>{fill(now.stripe, { id: event.coupon })}</bdi>}
        </p>
        {event.coupon !== null && <p class="hint">{now.unfeatured}</p>}
      </div>
      <div class="actions">
        <a href={`${base}?slot=${type}`} data-deed>
          {words.next.edit}
        </a>
        <Press base={base} path="withdraw" id={event.id} label={now.takeDown} />
      </div>
    </li>
  )
}
