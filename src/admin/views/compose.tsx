import { ANNOUNCEMENT_TYPES } from '../../core/fields.ts'
import { fill } from '../../core/messages.ts'
import type { Evaluation } from '../draft/evaluate.ts'
import { HIDDEN, LATEST } from '../draft/fields.ts'
import { ConflictNote, Seen } from './conflict-notice.tsx'
import { CODE, LINE, Segments } from './controls.tsx'
import { Field } from './faults.tsx'
import { Preview, Show } from './preview.tsx'
import { Translations } from './translations.tsx'
import { Verdict } from './verdict.tsx'

export function Compose(props: Evaluation & { base: string }) {
  const { base, words, fields, issues } = props
  const { compose, preview, types } = words
  return (
    <form id="compose" method="post" action={`${base}/publish`} data-compose data-part="compose">
      <div class="fields">
        <h1 id="compose-title">{titleOf(props)}</h1>
        {HIDDEN.map((name) => (
          <input key={name} type="hidden" name={name} value={fields[name]} />
        ))}
        <Seen value={fields.seen} />
        {fields.refused && issues.length > 0 && <input type="hidden" name="refused" value="on" />}
        <Field {...props} id="text" label={compose.text}>
          {({ value, ...own }) => (
            <>
              <output
                data-own
                data-length={fill(compose.length, { count: 0 })}
                data-fits={preview.fits}
              />
              <textarea {...LINE} {...own} required>
                {value}
              </textarea>
            </>
          )}
        </Field>
        <fieldset class="field">
          <legend>{compose.type}</legend>
          <Segments
            name="type"
            of={ANNOUNCEMENT_TYPES}
            labels={types}
            chosen={fields.type}
            isFixed={props.edits === 'up'}
          />
          <p class="hint">{props.edits === 'up' ? compose.typeFixed : compose.typeNote}</p>
        </fieldset>
        <Field {...props} id="slug" label={compose.link} hint={compose.linkNote}>
          {(own) => <input {...own} {...CODE} inputmode="url" required />}
        </Field>
        <Field {...props} id="icon" label={compose.icon} hint={compose.iconNote}>
          {(own) => (
            <div class="search">
              <input {...own} {...CODE} type="search" autocomplete="off" aria-controls="icons" />
              <div id="icons" class="icons" hidden data-own />
            </div>
          )}
        </Field>
        <div>
          <When {...props} />
          <Translations {...props} />
        </div>
      </div>
      <div class="seen">
        <div class="head">
          <h2>{preview.title}</h2>
          {/* The stylesheet applies the chosen width and theme, without a request. */}
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
      {/* The button is below the preview, so that nobody publishes without seeing the preview. */}
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
            <a href={base} data-discard>
              {compose.cancel}
            </a>
          )}
        </div>
        {/* Messages come and go here, below the button, so that they don't move the button. */}
        <ul class="cuts" data-own data-cut={preview.cut} />
        <ConflictNote {...props} />
        <Verdict {...props} />
      </div>
    </form>
  )
}

/** The composer's title. If the edited announcement is gone, the title says that the draft is a new announcement. */
function titleOf({ words: { compose }, edits }: Evaluation): string {
  if (edits === null) return compose.title
  return edits === 'up' ? compose.editingUp : compose.editing
}

/** The label of the publish button. A start that can't be parsed yet is treated as a future start. */
function labelOf({ words, fields, reading, edits, conflict, now }: Evaluation): string {
  if (edits) return words.compose.save
  const isLater = reading.startsAt === undefined ? fields.from !== '' : reading.startsAt > now
  return (conflict?.kind === 'gone' ? words.conflict : words.compose)[
    isLater ? 'schedule' : 'publish'
  ]
}

/** `max` limits the year to four digits, so that further digits go to the next part of the field. */
const INSTANT = { type: 'datetime-local', step: 'any', max: LATEST } as const

function When(props: Evaluation) {
  const { words, fields, latest } = props
  const { compose } = words
  const untilNote = latest ? fill(compose.untilCoupon, { when: latest }) : compose.untilNote
  const notes = { from: compose.fromNote, until: untilNote }
  const given = fields.from !== '' || fields.until !== '' || fields.zone !== words.zone
  return (
    <details class="more" open={given}>
      <summary>{compose.when}</summary>
      <div class="pair">
        {(['from', 'until'] as const).map((id) => (
          <Field key={id} {...props} id={id} label={compose[id]} hint={notes[id]}>
            {(own) => <input {...own} {...INSTANT} />}
          </Field>
        ))}
      </div>
      <Field {...props} id="zone" label={compose.zone} hint={compose.zoneNote}>
        {(own) => (
          <>
            <input {...own} list="zones" dir="ltr" spellcheck={false} />
            <datalist id="zones" data-own />
          </>
        )}
      </Field>
    </details>
  )
}
