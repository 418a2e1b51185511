import { languageNamer } from '../../core/language.ts'
import type { Evaluation } from '../draft/evaluate.ts'
import { isEmpty } from '../draft/fields.ts'
import { CODE, LINE, TAG, Tags } from './controls.tsx'
import { Field, FieldFaults, isFaulty } from './faults.tsx'

export function Translations(props: Evaluation) {
  const { words, fields } = props
  const { compose } = words
  const nameOf = languageNamer(words.tag)
  const { language, translations } = fields
  const isGiven = language !== '' || !translations.every(isEmpty)
  return (
    <details id="translations" class="more" open={isGiven}>
      <summary>{compose.translations}</summary>
      <Field {...props} id="language" label={compose.ownLanguage} hint={compose.ownLanguageNote}>
        {(own) => <input {...own} {...TAG} />}
      </Field>
      {translations.map((row, i) => {
        const { tag, text, slug } = row
        const stateOf = (field: 'translations' | 'slugs') => ({
          'aria-describedby': 'translations-fault',
          'aria-invalid': (!isEmpty(row) && isFaulty(props, `${field}.${tag}`)) || undefined,
        })
        const state = stateOf('translations')
        const name = nameOf(tag)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows keep their typed order
          <div class="translation" key={i} data-row>
            <label>
              <span>{compose.language}</span>
              <input name="tag" value={tag} {...TAG} {...state} size={6} />
              {/* The language's name reveals a mistake such as `se` for Swedish. */}
              <output data-unknown={name ? undefined : ''}>
                {tag && (name ?? compose.noLanguage)}
              </output>
            </label>
            <label>
              <span>{compose.translation}</span>
              <textarea {...LINE} {...state} name="translation">
                {text}
              </textarea>
            </label>
            <label>
              <span>{compose.translationLink}</span>
              <input
                name="translationSlug"
                value={slug}
                {...CODE}
                {...stateOf('slugs')}
                inputmode="url"
                placeholder={fields.slug}
              />
            </label>
            <button
              type="button"
              class="quiet"
              aria-label={compose.removeLanguage}
              title={compose.removeLanguage}
              hidden={i === translations.length - 1 && isEmpty(row)}
              data-remove-language
            >
              ×
            </button>
          </div>
        )
      })}
      <FieldFaults {...props} id="translations" />
      <Tags words={words} />
      <p class="hint">{compose.languageNote}</p>
      <button type="button" class="quiet" data-add-language>
        {compose.addLanguage}
      </button>
    </details>
  )
}
