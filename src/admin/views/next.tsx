/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { advance, type Board, newest } from '../../core/board.ts'
import { type Span, spansOf } from '../spans.ts'
import type { Words } from '../words.ts'
import { Bar } from './bar.ts'
import { type BoardProps, type BoardState, Row } from './rows.tsx'
import { local, Time, Until, When } from './time.tsx'

/** The timeline of what shows when, and the schedule. */
export function Next({ words, base, board, now }: BoardState) {
  const { next } = words
  const spans = spansOf(board, now)
  const scheduled = board.scheduled.toSorted((a, b) => a.startsAt - b.startsAt || a.order - b.order)
  return (
    <section class="next" aria-labelledby="next-title" data-part="next">
      <h2 id="next-title">{next.title}</h2>
      {spans.length < 2 && scheduled.length === 0 ? (
        <p class="empty">{next.none}</p>
      ) : (
        <Timeline {...{ words, base, board, now, spans }} />
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

function Timeline(props: BoardProps & { spans: readonly Span[] }) {
  const { words, board, now, spans } = props
  const { next } = words
  // The timeline covers at least an hour.
  const length = Math.max(HOUR_MS, ((spans.at(-1)?.from ?? now) - now) * 1.1)
  // An arrow key moves the slider by a step. Steps are whole minutes or hours, so that they stay the same as time passes.
  const step = length < DAY_MS ? MINUTE_MS : HOUR_MS
  const onStep = (ms: number) => Math.floor(ms / step) * step
  const share = (ms: number) => Math.min(100, ((ms - now) / length) * 100)
  return (
    <>
      <div class="ahead">
        <label for="at">{next.at}</label>
        <Ahead words={words} board={board} at={now} />
        <div class="track">
          {/* Rectangles, because widths in a style attribute would need 'unsafe-inline'. */}
          <svg class="line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            {spans.map(({ from, until, event }) => (
              <rect
                key={from}
                x={share(from)}
                width={Math.max(0.2, share(until ?? Number.POSITIVE_INFINITY) - share(from) - 0.15)}
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
            aria-valuetext={local(now, words)}
          />
        </div>
      </div>
      <ol class="spans">
        {spans.map((span) => (
          <SpanRow key={span.from} span={span} words={words} now={now} />
        ))}
      </ol>
    </>
  )
}

/** What visitors will see at an instant. */
export function Ahead({ words, board, at }: { words: Words; board: Board; at: number }) {
  const event = newest(advance(board, at).board)
  return (
    <div class="seen-then" data-part="ahead">
      <Time at={at} words={words} />
      <div class="place">
        {event ? (
          <Bar event={event} locale={words.tag} label="" />
        ) : (
          <p class="empty">{words.next.nothing}</p>
        )}
      </div>
    </div>
  )
}

function SpanRow({ span, words, now }: { span: Span; words: Words; now: number }) {
  const { event, from } = span
  const what: Child = event ? <bdi>{event.text}</bdi> : words.next.nothing
  return (
    <li>
      <span data-type={event?.type}>
        {from === now ? words.now.title : <Time at={from} words={words} />}
      </span>
      <span>{what}</span>
    </li>
  )
}
