/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Fields } from '../form.ts'
import type { Words } from '../words.ts'
import { shownTags } from './preview.tsx'

/** How the preview looks. Its controls belong to the form of the composer. */
export function Show({ words, fields }: { words: Words; fields: Fields }): JSX.Element {
  const { preview } = words
  const tags = shownTags(fields)
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
              <span>{tag || preview.original}</span>
            </label>
          ))}
        </span>
      )}
      <label class="toggle">
        <input type="checkbox" name="rtl" form="compose" checked={fields.rtl} />
        {preview.rightToLeft}
      </label>
      <label class="toggle">
        <input type="checkbox" name="reduced" form="compose" checked={fields.reduced} />
        {preview.reduced}
      </label>
    </div>
  )
}
