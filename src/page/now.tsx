import type { ReactElement } from 'react'
import { view } from '../bar/view.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Locale } from './locales.ts'

/** What is showing, and why it is that. */
export function Now({
  snapshot: { event },
  locale,
}: {
  snapshot: Snapshot
  locale: Locale
}): ReactElement {
  const { now, types } = locale.page
  const shown = view(event, locale.fallback, locale.tag)
  const source = shown?.from === 'event' ? event : locale.fallback
  const why = !shown
    ? now.nothing
    : shown.from === 'event'
      ? now.latest
      : event
        ? now.unfit
        : now.fallback
  return (
    <>
      <p className="note">{why}</p>
      {shown && source && (
        <dl>
          <dt>{now.text}</dt>
          <dd>
            <bdi lang={shown.lang} dir={shown.dir}>
              {shown.text}
            </bdi>
          </dd>
          <dt>{now.type}</dt>
          <dd>{types[source.type]}</dd>
          <dt>{now.link}</dt>
          <dd>
            <bdi className="mono">{shown.href}</bdi>
            <span className="aside">{shown.target ? now.newTab : now.sameTab}</span>
          </dd>
          <dt>{now.icon}</dt>
          <dd>{shown.icon === null ? now.sparkle : <span className="mono">{shown.icon}</span>}</dd>
          {shown.from === 'event' && event && (
            <>
              <dt>{now.since}</dt>
              <dd>
                <Time at={event.timestamp} tag={locale.tag} />
              </dd>
              {event.expiresAt !== null && (
                <>
                  <dt>{now.until}</dt>
                  <dd>
                    <Time at={event.expiresAt} tag={locale.tag} />
                  </dd>
                </>
              )}
            </>
          )}
        </dl>
      )}
    </>
  )
}

/** In UTC and saying so: the page is the same for every reader, so it can't know their zone. */
function Time({ at, tag }: { at: number; tag: string }): ReactElement {
  const format = new Intl.DateTimeFormat(tag, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return <time dateTime={new Date(at).toISOString()}>{`${format.format(at)} UTC`}</time>
}
