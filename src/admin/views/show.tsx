/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import { languageNamer } from '../../core/language.ts'
import type { Fields } from '../form.ts'
import type { Words } from '../words.ts'
import { shownTags } from './preview.tsx'

/** Settings of the preview. They belong to the composer's form. */
export function Show({ words, fields }: { words: Words; fields: Fields }): JSX.Element {
  const { preview } = words
  const tags = shownTags(fields)
  const nameOf = languageNamer(words.tag)
  return (
    <div class="show" data-part="show">
      {tags.length > 0 && (
        <span class="segments">
          {['', ...tags].map((tag) => (
            <label key={tag}>
              <input
                type="radio"
                name="show"
                value={tag}
                form="compose"
                checked={fields.show === tag}
              />
              <span>{tag ? (nameOf(tag) ?? tag) : preview.original}</span>
            </label>
          ))}
        </span>
      )}
    </div>
  )
}
