import type { ReactElement } from 'react'
import { chooseView } from '../bar/view.ts'
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
  const view = chooseView(event, locale.fallback, locale.tag)
  const source = view?.from === 'event' ? event : locale.fallback
  const why = !view
    ? now.nothing
    : view.from === 'event'
      ? now.latest
      : event
        ? now.unfit
        : now.fallback
  return (
    <>
      <p className="note">{why}</p>
      {view && source && (
        <dl>
          <dt>{now.text}</dt>
          <dd>
            <bdi lang={view.lang} dir={view.dir}>
              {view.text}
            </bdi>
          </dd>
          <dt>{now.type}</dt>
          <dd>{types[source.type]}</dd>
          <dt>{now.link}</dt>
          <dd>
            <bdi className="mono">{view.href}</bdi>
            <span className="aside">{view.target ? now.newTab : now.sameTab}</span>
          </dd>
          <dt>{now.icon}</dt>
          <dd>{view.icon === null ? now.sparkle : <span className="mono">{view.icon}</span>}</dd>
          {view.from === 'event' && event && (
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

/** In UTC, which it names: the page is the same for every reader, so it can't know their time zone. */
function Time({ at, tag }: { at: number; tag: string }): ReactElement {
  const format = new Intl.DateTimeFormat(tag, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return <time dateTime={new Date(at).toISOString()}>{`${format.format(at)} UTC`}</time>
}
