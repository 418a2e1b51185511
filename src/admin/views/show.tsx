import type { ReactElement } from 'react'
import type { Fields } from '../form.ts'
import type { Words } from '../words.ts'
import { shownTags } from './preview.tsx'

/** How the preview looks. Its controls belong to the form of the composer. */
export function Show({ words, fields }: { words: Words; fields: Fields }): ReactElement {
  const { preview } = words
  const tags = shownTags(fields)
  return (
    <div className="show" data-part="show">
      {tags.length > 0 && (
        <span className="segments">
          {['', ...tags].map((tag) => (
            <label key={tag}>
              <input
                type="radio"
                name="show"
                value={tag}
                form="compose"
                defaultChecked={fields.show === tag}
              />
              <span>{tag || preview.original}</span>
            </label>
          ))}
        </span>
      )}
      <label className="toggle">
        <input type="checkbox" name="rtl" form="compose" defaultChecked={fields.rtl} />
        {preview.rightToLeft}
      </label>
      <label className="toggle">
        <input type="checkbox" name="reduced" form="compose" defaultChecked={fields.reduced} />
        {preview.reduced}
      </label>
    </div>
  )
}
