import type { ReactElement } from 'react'
import type { WireAnnouncement } from '../../announcement.ts'
import { PlacardBar } from '../../bar/placard-bar.tsx'
import { directionOf } from '../../language.ts'
import type { Issue } from '../../problem.ts'
import type { Fields, Reading } from '../form.ts'
import { translated } from '../words/rules.ts'
import type { Words } from '../words.ts'
import { Faults, Twice } from './faults.tsx'
import { inFull } from './time.tsx'

export interface PreviewProps {
  words: Words
  fields: Fields
  reading: Reading
  issues: readonly Issue[]
  warnings: readonly string[]
  /** What it would replace at once, if it starts at once. */
  replaced: WireAnnouncement | null
  now: number
}

const STAGES = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const

/** The bar itself, as each reader will see it, and what will happen. */
export function Preview(props: PreviewProps): ReactElement {
  const { words, fields, reading, warnings, replaced, now } = props
  const { preview, types } = words
  const { startsAt, expiresAt, zone } = reading
  const type = fields.type as keyof typeof types
  const languages = [
    '',
    ...fields.translations.filter(({ text }) => text.trim()).map(({ tag }) => tag),
  ]
  const chosen = languages.includes(fields.show) ? fields.show : ''
  const event = {
    text: fields.text,
    type,
    slug: fields.slug.trim() || '/',
    icon: fields.icon || null,
    translations: Object.fromEntries(fields.translations.map(({ tag, text }) => [tag, text])),
  }
  const starts = startsAt !== undefined && startsAt > now
  const rtl = fields.rtl || (chosen !== '' && directionOf(chosen) === 'rtl')
  return (
    <div data-part="preview">
      <div className="stages" data-reduced={fields.reduced || undefined}>
        {STAGES.map(([width, theme]) => (
          <figure key={`${width} ${theme}`} className="stage" data-theme={theme} data-width={width}>
            <figcaption>{`${preview[theme]}, ${preview[width]}`}</figcaption>
            <div className="place" dir={rtl ? 'rtl' : 'ltr'} inert>
              {fields.text.trim() === '' ? (
                <p className="hint">{preview.empty}</p>
              ) : (
                <PlacardBar event={event} locale={words.tag} language={chosen || undefined} />
              )}
            </div>
            <p className="cut" data-cut={preview.cut} />
          </figure>
        ))}
      </div>
      <Faults {...props} />
      <Twice {...props} />
      <ul className="outcome">
        {fields.text.trim() === '' ? null : starts ? (
          <li>{preview.starts(inFull(startsAt, zone, now, words.tag))}</li>
        ) : (
          <li>{preview.atOnce}</li>
        )}
        {expiresAt !== undefined && (
          <li>{preview.ends(inFull(expiresAt, zone, now, words.tag))}</li>
        )}
        {fields.text.trim() !== '' && !starts && replaced && (
          <li>
            {preview.replaces[replaced.type]} <bdi>{replaced.text}</bdi>
          </li>
        )}
        {warnings.map((warning) => (
          <li key={warning} className="warning">
            {translated(warning, words)}
          </li>
        ))}
      </ul>
    </div>
  )
}
