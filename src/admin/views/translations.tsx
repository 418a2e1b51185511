/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { languageNamer } from '../../core/language.ts'
import { OFTEN_USED } from '../words.ts'
import { FieldFaults, isFaulty, stateOf } from './faults.tsx'
import { CODE, LINE } from './line.ts'
import type { PreviewProps } from './preview.tsx'

/** The translations, with an empty row at the end. */
export function Translations(props: PreviewProps): JSX.Element {
  const { words, fields } = props
  const { compose } = words
  const nameOf = languageNamer(words.tag)
  const isGiven = fields.translations.length > 0 || fields.language !== ''
  const rows = [...fields.translations, { tag: '', text: '' }]
  return (
    <details id="translations" class="more" open={isGiven}>
      <summary>{compose.translations}</summary>
      <div class="field">
        <label for="language">{compose.ownLanguage}</label>
        <input
          id="language"
          name="language"
          value={fields.language}
          {...CODE}
          {...stateOf('language', props)}
          maxlength={100}
          list="tags"
        />
        <FieldFaults {...props} id="language" />
        <p class="hint" id="language-hint">
          {compose.ownLanguageNote}
        </p>
      </div>
      {rows.map(({ tag, text }, i) => {
        const isLast = i === fields.translations.length
        const state = {
          'aria-describedby': 'translations-fault',
          'aria-invalid': (!isLast && isFaulty(`translations.${tag}`, props)) || undefined,
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are as they were typed
          <div class="translation" key={i} data-row>
            <label>
              <span>{compose.language}</span>
              <input
                name="tag"
                value={tag}
                {...CODE}
                {...state}
                size={6}
                maxlength={100}
                list="tags"
              />
              <output>{tag && (nameOf(tag) ?? compose.noLanguage)}</output>
            </label>
            <label>
              <span>{compose.translation}</span>
              <textarea {...LINE} {...state} name="translation">
                {text}
              </textarea>
            </label>
            <button
              type="button"
              class="quiet"
              aria-label={compose.removeLanguage}
              title={compose.removeLanguage}
              hidden={isLast}
              data-remove-language
            >
              ×
            </button>
          </div>
        )
      })}
      <LanguageNames {...props} />
      <FieldFaults {...props} id="translations" />
      <datalist id="tags">
        {OFTEN_USED.map((tag) => (
          <option key={tag} value={tag} label={nameOf(tag)} />
        ))}
      </datalist>
      <p class="hint">{compose.languageNote}</p>
      <button type="button" class="quiet" data-add-language>
        {compose.addLanguage}
      </button>
    </details>
  )
}

/**
 * The names of languages by tag, so that an editor who types `se` for Swedish notices. The script takes them from here,
 * because browsers know few of them.
 */
export function LanguageNames({
  words,
  fields,
}: Pick<PreviewProps, 'words' | 'fields'>): JSX.Element {
  const nameOf = languageNamer(words.tag)
  return (
    <div data-part="names" hidden>
      {fields.translations.map(({ tag }) => {
        const name = nameOf(tag)
        return (
          <data key={tag} value={tag} data-unknown={name === undefined || undefined}>
            {name ?? words.compose.noLanguage}
          </data>
        )
      })}
    </div>
  )
}
