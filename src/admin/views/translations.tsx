import type { ReactElement } from 'react'
import { OFTEN_USED } from '../words.ts'
import { FieldFaults, isFaulty } from './faults.tsx'
import { CODE, LINE } from './line.ts'
import type { PreviewProps } from './preview.tsx'

/** The text in other languages, one more row than there are texts. */
export function Translations(props: PreviewProps): ReactElement {
  const { words, fields } = props
  const { compose } = words
  const names = new Intl.DisplayNames(words.tag, { type: 'language' })
  const rows = [...fields.translations, { tag: '', text: '' }]
  return (
    <details id="translations" className="more" open={fields.translations.length > 0}>
      <summary>{compose.translations}</summary>
      {rows.map(({ tag, text }, i) => {
        const isLast = i === fields.translations.length
        const state = {
          'aria-describedby': 'translations-fault',
          'aria-invalid': (!isLast && isFaulty(`translations.${tag}`, props)) || undefined,
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are as they were typed
          <div className="translation" key={i} data-row>
            <label>
              <span>{compose.language}</span>
              <input
                name="tag"
                defaultValue={tag}
                {...CODE}
                {...state}
                size={6}
                maxLength={100}
                placeholder="de"
                list="tags"
              />
            </label>
            <label>
              <span>{compose.translation}</span>
              <textarea {...LINE} {...state} name="translation" defaultValue={text} />
            </label>
            <button
              type="button"
              className="quiet with-script"
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
      <FieldFaults {...props} id="translations" />
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
