import type { ReactElement, ReactNode } from 'react'
import { ANNOUNCEMENT_TYPES } from '../../core/announcement.ts'
import { fill } from '../../core/messages.ts'
import { ConflictNote } from './conflict.tsx'
import { FieldFaults, stateOf } from './faults.tsx'
import { CODE, LINE } from './line.ts'
import { editedBy, labelOf, Preview, type PreviewProps } from './preview.tsx'
import { Show } from './show.tsx'
import { Translations } from './translations.tsx'
import { Verdict } from './verdict.tsx'

/** What puts an announcement up, and what it will look like. */
export function Compose(props: PreviewProps & { base: string; children: ReactNode }): ReactElement {
  const { base, words, fields } = props
  const { compose, types } = words
  return (
    <section className="compose" aria-labelledby="compose-title">
      <form id="compose" method="post" action={`${base}/publish`} data-compose>
        <div className="fields">
          <ComposeTitle {...props} />
          <input type="hidden" name="id" value={fields.id} />
          {fields.slugWas !== '' && <input type="hidden" name="slugWas" value={fields.slugWas} />}
          {fields.refused && <input type="hidden" name="refused" value="on" />}
          <Field
            {...props}
            id="text"
            label={compose.text}
            aside={<output data-length={fill(compose.length, { count: 0 })} />}
          >
            <textarea
              {...LINE}
              id="text"
              name="text"
              defaultValue={fields.text}
              required
              {...stateOf('text', props, false)}
            />
          </Field>
          <fieldset className="field">
            <legend>{compose.type}</legend>
            <div className="segments">
              {ANNOUNCEMENT_TYPES.map((one) => (
                <label key={one}>
                  <input
                    type="radio"
                    name="type"
                    value={one}
                    defaultChecked={fields.type === one}
                    // One of another type would not replace it.
                    disabled={editedBy(props) === 'up' && fields.type !== one}
                  />
                  <span>{types[one]}</span>
                </label>
              ))}
            </div>
            <p className="hint">{compose.typeNote}</p>
          </fieldset>
          <Field {...props} id="slug" label={compose.link} hint={compose.linkNote}>
            <input
              id="slug"
              name="slug"
              defaultValue={fields.slug}
              {...CODE}
              inputMode="url"
              required
              {...stateOf('slug', props)}
            />
          </Field>
          <Field {...props} id="icon" label={compose.icon} hint={compose.iconNote}>
            <div className="search">
              <input
                id="icon"
                name="icon"
                type="search"
                defaultValue={fields.icon}
                {...CODE}
                autoComplete="off"
                {...stateOf('icon', props)}
                aria-controls="icons"
                data-icons
              />
              <div id="icons" className="icons" hidden />
            </div>
          </Field>
          <div>
            <When {...props} />
            <Translations {...props} />
          </div>
        </div>
        <div className="seen">
          <div className="head">
            <h2>{words.preview.title}</h2>
            <Show words={words} fields={fields} />
          </div>
          <Preview {...props} />
          {/* Below the preview, so that nobody publishes what they have not seen. */}
          <div className="publish">
            <div className="actions">
              <button type="submit" className="primary" aria-describedby="verdict">
                {labelOf(props)}
              </button>
              <button
                type="submit"
                formAction={`${base}/draft`}
                formNoValidate
                className="without-script"
              >
                {compose.preview}
              </button>
              {fields.id !== '' && (
                <a href={base} data-deed>
                  {compose.cancel}
                </a>
              )}
            </div>
            {/* What it says comes and goes, and must not move the button. */}
            <ConflictNote {...props} />
            <p className="signed-out" role="alert" hidden>
              {words.faults.signedOut}{' '}
              <a href={base} target="_blank" rel="noopener">
                {words.signIn.title}
              </a>
            </p>
            <p className="unsent" role="alert" hidden>
              {words.faults.unsent}
            </p>
            <p className="unsure" role="alert" hidden>
              {words.faults.unsure}
            </p>
            <Verdict {...props} />
          </div>
        </div>
      </form>
      {props.children}
    </section>
  )
}

/** Which announcement is written: what is edited may be gone by now. */
export function ComposeTitle(props: PreviewProps): ReactElement {
  const { compose } = props.words
  const edited = editedBy(props)
  const title = edited === 'up' ? compose.editingUp : compose.editing
  return (
    <h1 id="compose-title" data-part="compose-title" data-edits={edited ?? ''}>
      {edited ? title : compose.title}
    </h1>
  )
}

function Field(
  props: PreviewProps & {
    id: Parameters<typeof stateOf>[0]
    label: string
    hint?: string
    aside?: ReactNode
    children: ReactNode
  },
): ReactElement {
  const { id, label, hint, aside, children, ...judged } = props
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {aside}
      {children}
      <FieldFaults {...judged} id={id} />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** With an end, years have four digits, and what is typed after them goes where it belongs. */
const INSTANT = { type: 'datetime-local', step: 'any', max: '9999-12-31T23:59' } as const

function When(props: PreviewProps): ReactElement {
  const { words, fields, reading } = props
  const { compose } = words
  const given = fields.from !== '' || fields.until !== '' || reading.faults.zone !== undefined
  return (
    <details className="more" open={given}>
      <summary>{compose.when}</summary>
      <div className="pair">
        <Field {...props} id="from" label={compose.from} hint={compose.fromNote}>
          <input
            id="from"
            name="from"
            {...INSTANT}
            defaultValue={fields.from}
            data-at={(fields.isStored && fields.fromWas) || undefined}
            {...stateOf('from', props)}
          />
          <input type="hidden" name="fromWas" value={fields.fromWas} />
        </Field>
        <Field {...props} id="until" label={compose.until} hint={compose.untilNote}>
          <input
            id="until"
            name="until"
            {...INSTANT}
            defaultValue={fields.until}
            data-at={(fields.isStored && fields.untilWas) || undefined}
            {...stateOf('until', props)}
          />
          <input type="hidden" name="untilWas" value={fields.untilWas} />
        </Field>
      </div>
      <Field {...props} id="zone" label={compose.zone}>
        <input
          id="zone"
          name="zone"
          list="zones"
          defaultValue={fields.zone}
          dir="ltr"
          spellCheck={false}
          {...stateOf('zone', props, false)}
          // The script sets the reader's own zone, and writes stored times in it. What was typed would become another.
          data-zone={fields.isStored ? '' : undefined}
        />
        <datalist id="zones" />
      </Field>
    </details>
  )
}
