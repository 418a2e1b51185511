/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'

export interface NoticeProps {
  kind: 'done' | 'fault'
  text: string
  /** The instant that the text leads up to. */
  time?: Child
  /** What can be done about it. */
  more?: Child
}

/** What has just happened, or why it could not. There is one at a time, the latest. */
export function Said(props: Partial<NoticeProps>): JSX.Element {
  const { kind, text, time, more } = props
  return (
    <div
      class="notice"
      data-part="notice"
      data-kind={kind}
      role={kind === 'fault' ? 'alert' : 'status'}
      hidden={text === undefined}
    >
      <p>
        {text}
        {time && <> {time}</>}
      </p>
      {more}
    </div>
  )
}
