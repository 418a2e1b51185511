/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { ANNOUNCEMENT_TYPES } from '../../core/fields.ts'
import { fill } from '../../core/messages.ts'
import { ConflictNote, Seen } from './conflict.tsx'
import { CODE, LINE, Segments } from './controls.tsx'
import { FieldFaults, isFaulty, stateOf } from './faults.tsx'
import { labelOf, Preview, type PreviewProps, Show } from './preview.tsx'
import { Translations } from './translations.tsx'
import { Verdict } from './verdict.tsx'

/** The composer: the form, the preview and the button to publish. */
export function Compose(props: PreviewProps & { base: string }) {
  const { base, words, fields } = props
  const { compose, preview, types } = words
  return (
    <form id="compose" method="post" action={`${base}/publish`} data-compose data-part="compose">
      <div class="fields">
        <h1 id="compose-title">{titleOf(props)}</h1>
        <input type="hidden" name="id" value={fields.id} />
        <input type="hidden" name="was" value={fields.was} />
        <Seen value={fields.seen} />
        {fields.refused && isFaulty(props) && <input type="hidden" name="refused" value="on" />}
        {fields.slugWas !== '' && <input type="hidden" name="slugWas" value={fields.slugWas} />}
        <Field
          {...props}
          id="text"
          label={compose.text}
          aside={
            <output
              data-own
              data-length={fill(compose.length, { count: 0 })}
              data-fits={preview.fits}
            />
          }
        >
          <textarea {...LINE} id="text" name="text" required {...stateOf('text', props, false)}>
            {fields.text}
          </textarea>
        </Field>
        <fieldset class="field">
          <legend>{compose.type}</legend>
          <Segments
            name="type"
            of={ANNOUNCEMENT_TYPES}
            labels={types}
            chosen={fields.type}
            // A published announcement keeps its type.
            isFixed={props.edits === 'up'}
          />
          <p class="hint">{compose.typeNote}</p>
        </fieldset>
        <Field {...props} id="slug" label={compose.link} hint={compose.linkNote}>
          <input
            id="slug"
            name="slug"
            value={fields.slug}
            {...CODE}
            inputmode="url"
            required
            {...stateOf('slug', props)}
          />
        </Field>
        <Field {...props} id="icon" label={compose.icon} hint={compose.iconNote}>
          <div class="search">
            <input
              id="icon"
              name="icon"
              type="search"
              value={fields.icon}
              {...CODE}
              autocomplete="off"
              {...stateOf('icon', props)}
              aria-controls="icons"
              data-icons
            />
            <div id="icons" class="icons" hidden data-own />
          </div>
        </Field>
        <div>
          <When {...props} />
          <Translations {...props} />
        </div>
      </div>
      <div class="seen">
        <div class="head">
          <h2>{preview.title}</h2>
          {/* Only the styles apply these. */}
          <Segments
            name="width"
            label={preview.width}
            of={['phone', 'desktop']}
            labels={preview}
            chosen={fields.width}
          />
          <Segments
            name="theme"
            label={preview.theme}
            of={['light', 'dark']}
            labels={preview}
            chosen={fields.theme}
          />
          <Show {...props} />
        </div>
        <Preview {...props} />
      </div>
      {/* Below the preview, so that nobody publishes without seeing it. */}
      <div class="publish">
        <div class="actions">
          <button
            type="submit"
            class="primary"
            aria-describedby="verdict"
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            {labelOf(props)}
          </button>
          {fields.id !== '' && (
            <a href={base} data-deed data-discard>
              {compose.cancel}
            </a>
          )}
        </div>
        {/* These messages come and go, and must not move the button. */}
        <ul class="cuts" data-own data-cut={preview.cut} />
        <ConflictNote {...props} />
        <Verdict {...props} />
      </div>
    </form>
  )
}

/** What the composer writes. The edited announcement may be gone by now. */
function titleOf({ words: { compose }, edits }: PreviewProps): string {
  if (edits === null) return compose.title
  return edits === 'up' ? compose.editingUp : compose.editing
}

function Field(
  props: PreviewProps & {
    id: Parameters<typeof stateOf>[0]
    label: string
    hint?: string
    aside?: Child
    children: Child
  },
) {
  const { id, label, hint, aside, children, ...judged } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {aside}
      {children}
      <FieldFaults {...judged} id={id} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** With a maximum, years have four digits, and further digits go to the next part. */
const INSTANT = { type: 'datetime-local', step: 'any', max: '9999-12-31T23:59' } as const

function When(props: PreviewProps) {
  const { words, fields } = props
  const { compose } = words
  const given = fields.from !== '' || fields.until !== '' || fields.zone !== words.zone
  return (
    <details class="more" open={given}>
      <summary>{compose.when}</summary>
      <div class="pair">
        {(['from', 'until'] as const).map((id) => (
          <Field key={id} {...props} id={id} label={compose[id]} hint={compose[`${id}Note`]}>
            <input id={id} name={id} {...INSTANT} value={fields[id]} {...stateOf(id, props)} />
            <input type="hidden" name={`${id}Was`} value={fields[`${id}Was`]} />
          </Field>
        ))}
      </div>
      <Field {...props} id="zone" label={compose.zone} hint={compose.zoneNote}>
        <input
          id="zone"
          name="zone"
          list="zones"
          value={fields.zone}
          dir="ltr"
          spellcheck={false}
          {...stateOf('zone', props)}
        />
        <datalist id="zones" data-own />
      </Field>
    </details>
  )
}
