/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { ComposeTitle } from './compose.tsx'
import { ConflictNote, Seen } from './conflict.tsx'
import { FAULTY, FieldFaults } from './faults.tsx'
import { Preview, type PreviewProps } from './preview.tsx'
import { Show } from './show.tsx'
import { LanguageNames } from './translations.tsx'
import { Verdict } from './verdict.tsx'

/** The parts of the composer that depend on what is typed. */
export function Judged(props: PreviewProps & { base: string }): JSX.Element {
  return (
    <>
      {FAULTY.map((id) => (
        <FieldFaults key={id} {...props} id={id} />
      ))}
      <ComposeTitle {...props} />
      <Seen value={props.fields.seen} />
      <ConflictNote {...props} />
      <Verdict {...props} />
      <LanguageNames {...props} />
      <Show {...props} />
      <Preview {...props} />
    </>
  )
}
