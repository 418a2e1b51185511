/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'

export interface NoticeProps {
  kind: 'done' | 'fault'
  text: string
  /** The instant at the end of the text. */
  time?: Child
  /** Buttons or links for what can be done about it. */
  more?: Child
}

/** The result of the last action, or why it failed. Only the latest is shown. */
export function Said(props: Partial<NoticeProps>) {
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
