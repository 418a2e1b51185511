import type { ReactElement, ReactNode } from 'react'
import { ANNOUNCEMENT_TYPES } from '../../announcement.ts'
import type { Fields } from '../form.ts'
import type { Words } from '../words.ts'
import { Preview, type PreviewProps } from './preview.tsx'
import { Show } from './show.tsx'
import { Verdict } from './verdict.tsx'

/** What puts an announcement up, and what it will look like. */
export function Compose(props: PreviewProps & { base: string; children: ReactNode }): ReactElement {
  const { base, words, fields } = props
  const { compose, types } = words
  const editing = fields.id !== ''
  return (
    <section className="compose" aria-labelledby="compose-title">
      <form id="compose" method="post" action={`${base}/publish`} data-compose>
        <h1 id="compose-title">{editing ? compose.editing : compose.title}</h1>
        <input type="hidden" name="id" value={fields.id} />
        <input type="hidden" name="seen" value={fields.seen} />
        <Field id="text" label={compose.text} aside={<output data-length={compose.length(0)} />}>
          <input
            id="text"
            name="text"
            defaultValue={fields.text}
            dir="auto"
            maxLength={1000}
            required
            autoComplete="off"
          />
        </Field>
        <fieldset className="field">
          <legend>{compose.type}</legend>
          <div className="segments">
            {ANNOUNCEMENT_TYPES.map((one) => (
              <label key={one}>
                <input type="radio" name="type" value={one} defaultChecked={fields.type === one} />
                <span>{types[one]}</span>
              </label>
            ))}
          </div>
          <p className="hint">{compose.typeNote}</p>
        </fieldset>
        <Field id="slug" label={compose.link} hint={compose.linkNote}>
          <input
            id="slug"
            name="slug"
            defaultValue={fields.slug}
            dir="ltr"
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            required
            aria-describedby="slug-hint"
          />
        </Field>
        <Field id="icon" label={compose.icon} hint={compose.iconNote}>
          <div className="search">
            <input
              id="icon"
              name="icon"
              type="search"
              defaultValue={fields.icon}
              dir="ltr"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              aria-describedby="icon-hint"
              aria-controls="icons"
              data-icons
            />
            <div id="icons" className="icons" hidden data-none={compose.noIcons} />
          </div>
        </Field>
        <div>
          <When words={words} fields={fields} />
          <Translations words={words} fields={fields} />
        </div>
        <Verdict {...props} />
        <p className="meanwhile" role="alert" hidden>
          {editing ? words.faults.gone : words.faults.meanwhile} <bdi />
        </p>
        <p className="signed-out" role="alert" hidden>
          {words.faults.signedOut}{' '}
          <a href={base} target="_blank" rel="noopener">
            {words.signIn.title}
          </a>
        </p>
        <div className="actions">
          <button type="submit" className="primary" data-schedule={compose.schedule}>
            {editing ? compose.save : compose.publish}
          </button>
          <button
            type="submit"
            formAction={`${base}/draft`}
            formNoValidate
            className="without-script"
          >
            {compose.preview}
          </button>
          {editing && <a href={base}>{compose.cancel}</a>}
        </div>
      </form>
      <div className="seen">
        <div className="head">
          <h2>{words.preview.title}</h2>
          <Show words={words} fields={fields} />
        </div>
        <Preview {...props} />
        {props.children}
      </div>
    </section>
  )
}

function Field(props: {
  id: string
  label: string
  hint?: string
  aside?: ReactNode
  children: ReactNode
}): ReactElement {
  const { id, label, hint, aside, children } = props
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {aside}
      {children}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

function When({ words, fields }: { words: Words; fields: Fields }): ReactElement {
  const { compose } = words
  const given = fields.from !== '' || fields.until !== ''
  return (
    <details className="more" open={given}>
      <summary>{compose.when}</summary>
      <div className="pair">
        <Field id="from" label={compose.from} hint={compose.fromNote}>
          <input
            id="from"
            name="from"
            type="datetime-local"
            step="any"
            defaultValue={fields.from}
            data-at={fields.stored?.from}
            aria-describedby="from-hint"
          />
        </Field>
        <Field id="until" label={compose.until} hint={compose.untilNote}>
          <input
            id="until"
            name="until"
            type="datetime-local"
            step="any"
            defaultValue={fields.until}
            data-at={fields.stored?.until}
            aria-describedby="until-hint"
          />
        </Field>
      </div>
      <Field id="zone" label={compose.zone}>
        <input
          id="zone"
          name="zone"
          list="zones"
          defaultValue={fields.zone}
          dir="ltr"
          spellCheck={false}
          // The script sets the reader's own zone, and writes stored times in it. What was typed would become another.
          data-zone={given && fields.stored === null ? undefined : ''}
        />
        <datalist id="zones" />
      </Field>
    </details>
  )
}

/** What the field of a language offers, so that nobody has to know its tag. It takes every other tag too. */
const OFTEN_USED =
  'ar bn cs da de el en es fi fr he hi hu id it ja ko nb nl pl pt-BR pt-PT ro ru sv th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  )

function Translations({ words, fields }: { words: Words; fields: Fields }): ReactElement {
  const { compose } = words
  const names = new Intl.DisplayNames(words.tag, { type: 'language' })
  const rows = [...fields.translations, { tag: '', text: '' }]
  return (
    <details className="more" open={fields.translations.length > 0}>
      <summary>{compose.translations}</summary>
      {rows.map(({ tag, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are as they were typed
        <div className="translation" key={i} data-row>
          <label>
            <span>{compose.language}</span>
            <input
              name="tag"
              defaultValue={tag}
              dir="ltr"
              size={6}
              maxLength={100}
              spellCheck={false}
              autoCapitalize="none"
              placeholder="de"
              list="tags"
            />
          </label>
          <label>
            <span>{compose.translation}</span>
            <input
              name="translation"
              defaultValue={text}
              dir="auto"
              maxLength={1000}
              autoComplete="off"
            />
          </label>
        </div>
      ))}
      <datalist id="tags">
        {OFTEN_USED.map((tag) => (
          <option key={tag} value={tag} label={names.of(tag)} />
        ))}
      </datalist>
      <p className="hint">{compose.languageNote}</p>
      <button type="button" className="quiet with-script" data-add-language>
        {compose.addLanguage}
      </button>
    </details>
  )
}
