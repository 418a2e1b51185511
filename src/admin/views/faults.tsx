import type { Child } from 'hono/jsx'
import { MAX_LANGUAGES } from '../../core/fields.ts'
import { fill } from '../../core/messages.ts'
import type { Evaluation } from '../draft/evaluate.ts'
import { labelled, saidOf } from '../words.ts'

/** The composer's field names that differ from the API's, keyed by the API's name. */
const FIELDS: Record<string, string> = { startsAt: 'from', expiresAt: 'until' }

/** The fields with their own list of faults. The faults of all other languages share a list below their rows. */
const OWN = ['text', 'slug', 'icon', 'from', 'until', 'zone', 'language'] as const

type Judged = Pick<Evaluation, 'words' | 'fields' | 'reading' | 'issues'>

function faultsIn({ words, fields, issues }: Judged) {
  const { compose } = words
  const labels: Record<string, unknown> = {
    ...compose,
    slug: compose.link,
    language: compose.ownLanguage,
  }
  return issues.map((issue) => {
    const [first = '', ...rest] = issue.path.split('.')
    const name = FIELDS[first] ?? first
    const tag = rest.join('.')
    const isRow = name === 'translations' || name === 'slugs'
    const its = name === 'slugs' ? compose.link : compose.language
    const isEmpty = name === 'slug' && fields.slug.trim() === ''
    return {
      // A fault of the translations or the links as a whole, such as too many of them, is shown for the first row over
      // the limit or, if there is none, for the row with the longest one.
      field: isRow ? `${name}.${rest.length > 0 ? tag : rowAtFault(fields, name)}` : name,
      label: isRow ? its + (tag && ` (${tag})`) : String(labels[name] ?? first),
      sentence: saidOf(isEmpty ? { ...issue, code: 'no_link' } : issue, words),
    }
  })
}

function rowAtFault({ translations }: Judged['fields'], name: 'translations' | 'slugs') {
  const value = name === 'slugs' ? 'slug' : 'text'
  const rows = translations.filter((row) => row[value] !== '')
  const longest = rows.toSorted((a, b) => b[value].length - a[value].length)[0]
  return (rows[MAX_LANGUAGES] ?? longest)?.tag ?? ''
}

/** Finds the field below which a fault is shown; `undefined` if the fault is shown only below the button. */
function homeOf(field: string) {
  const [name] = field.split('.')
  return name === 'slugs'
    ? 'translations'
    : [...OWN, 'translations' as const].find((it) => it === name)
}

export const isFaulty = (judged: Judged, field: string): boolean =>
  faultsIn(judged).some((one) => one.field === field)

type FieldProps = Judged & { id: (typeof OWN)[number]; hint?: string }

export function Field(
  props: FieldProps & { label: string; children: (own: ReturnType<typeof ownOf>) => Child },
) {
  const { id, label, hint, children } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(ownOf(props))}
      <FieldFaults {...props} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** The attributes of every field's input. */
const ownOf = (props: FieldProps) => ({
  id: props.id,
  name: props.id,
  value: props.fields[props.id],
  'aria-describedby': props.hint ? `${props.id}-hint ${props.id}-fault` : `${props.id}-fault`,
  'aria-invalid': isFaulty(props, props.id) || undefined,
})

/** Shows a field's faults below the field. The script updates the faults together with the preview. */
export function FieldFaults({ id, ...judged }: Judged & { id: FieldProps['id'] | 'translations' }) {
  const { words } = judged
  const faults = faultsIn(judged).filter(({ field }) => homeOf(field) === id)
  return (
    <div id={`${id}-fault`} class="fault">
      {faults.map(({ field, label, sentence }) => (
        <p key={field + sentence} data-field={field}>
          <b>{labelled(label, words)}</b> {sentence}
        </p>
      ))}
      {id === 'slug' && faults.length === 0 && <LinkMeant {...judged} />}
      {id === 'translations' && faults.length === 0 && <LinksMeant {...judged} />}
      {id === 'icon' && faults.length === 0 && <IconMeant {...judged} />}
    </div>
  )
}

/** Says where a link leads if the form completed or corrected the link. */
function LinkMeant({ words, fields, reading }: Judged) {
  const link = reading.input.slug
  if (link === fields.slug) return null
  return <p>{fill(words.compose.linkLeads, { link: `\u2068${link}\u2069` })}</p>
}

/** Like {@link LinkMeant}, for the links of other languages. */
function LinksMeant({ words, fields, reading }: Judged) {
  const { slugs = {} } = reading.input
  const meant = fields.translations.filter(({ tag, slug }) => slug !== (slugs[tag] ?? slug))
  return meant.map(({ tag }) => (
    <p key={tag}>
      <b>{labelled(tag, words)}</b>{' '}
      {fill(words.compose.linkLeads, { link: `\u2068${slugs[tag]}\u2069` })}
    </p>
  ))
}

/** Names the icon that the form chose for a word. */
function IconMeant({ words, fields, reading }: Judged) {
  const { icon = '' } = reading.input
  if (icon === fields.icon) return null
  return <p>{fill(words.compose.iconMeant, { icon: `\u2068${icon}\u2069` })}</p>
}

/** The list below the publish button: links to the invalid fields, and the faults that don't belong to a field. */
export function Faults(judged: Judged) {
  const { words } = judged
  const faults = faultsIn(judged)
  if (faults.length === 0) return null
  return (
    <ul class="faults">
      <li>
        <b>{labelled(words.faults.title, words)}</b>
      </li>
      {faults.map(({ field, label, sentence }) => {
        const home = homeOf(field)
        return home ? (
          <li key={field + sentence}>
            <a href={`#${home}`}>{label}</a>
          </li>
        ) : (
          <li key={field + sentence} data-field={field}>
            <b>{labelled(label, words)}</b> {sentence}
          </li>
        )
      })}
    </ul>
  )
}
