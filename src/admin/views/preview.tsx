/** @jsxImportSource hono/jsx */

import type { JSX } from 'hono/jsx/jsx-runtime'
import { chooseView } from '../../bar/view.ts'
import type { Announcement } from '../../core/announcement.ts'
import { canonicalTag, directionOf } from '../../core/language.ts'
import { fill } from '../../core/messages.ts'
import type { Issue } from '../../core/problem.ts'
import { isBlank, linkFault } from '../../core/rules.ts'
import type { Conflict } from '../conflict.ts'
import type { Fields, Reading } from '../form.ts'
import type { Words } from '../words.ts'
import { Bar } from './bar.ts'

export interface PreviewProps {
  words: Words
  fields: Fields
  reading: Reading
  issues: readonly Issue[]
  warnings: readonly Issue[]
  /** What others did meanwhile. */
  conflict: Conflict | null
  /** What it would replace at once, if it starts at once. */
  replaced: Announcement | null
  /** What it would replace at its start, if that lies ahead. */
  replacedThen: Announcement | null
  now: number
}

/** What a draft edits: the announcement that is up, or a scheduled one; or `null` for a new one. */
export function editedBy({
  fields,
  replaced,
  conflict,
}: Pick<PreviewProps, 'fields' | 'replaced' | 'conflict'>) {
  if (fields.id === '' || conflict?.kind === 'gone') return null
  return fields.id === replaced?.id ? 'up' : 'scheduled'
}

/** Whether a draft waits for its start. A start that can't be read yet is meant to lie ahead. */
export function waits({ fields, reading, now }: Pick<PreviewProps, 'fields' | 'reading' | 'now'>) {
  return reading.startsAt === undefined ? fields.from !== '' : reading.startsAt > now
}

/** What the button does that puts a draft up. */
export function labelOf(props: PreviewProps): string {
  const { compose, conflict } = props.words
  if (editedBy(props) === 'scheduled') return compose.save
  const way = waits(props) ? 'schedule' : 'publish'
  return props.conflict?.kind === 'gone' ? conflict[way] : compose[way]
}

const STAGES = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const

/** The bar itself, as each reader will see it. */
export function Preview(props: PreviewProps): JSX.Element {
  const { words, fields } = props
  const { preview } = words
  const chosen = shownTags(fields).includes(fields.show) ? fields.show : ''
  const event = {
    text: fields.text,
    type: fields.type,
    // While somebody types a link it isn't one yet, and the text is worth looking at all the same.
    slug: linkFault(fields.slug.trim()) ? '/' : fields.slug,
    icon: fields.icon || null,
    // The text itself has none, or its reader would see the one in the language of the admin instead.
    translations:
      chosen === ''
        ? null
        : Object.fromEntries(fields.translations.map(({ tag, text }) => [tag, text])),
    language: canonicalTag(fields.language),
  }
  const rtl = fields.rtl || directionOf(chosen || fields.language) === 'rtl'
  // While there is nothing to see, what is up stands higher on the page. The script shows the stages with the third letter,
  // so that the answer, which comes a moment later, moves nothing.
  return (
    <div data-part="preview" data-blank={isBlank(fields.text) || undefined}>
      <div class="stages" data-reduced={fields.reduced || undefined}>
        <p class="blank">{preview.empty}</p>
        {STAGES.map(([width, theme]) => (
          <figure key={`${width} ${theme}`} class="stage" data-theme={theme} data-width={width}>
            <figcaption>
              {fill(preview.caption, { theme: preview[theme], width: preview[width] })}
            </figcaption>
            <div class="place" dir={rtl ? 'rtl' : 'ltr'} inert>
              {chooseView(event, null) ? (
                <Bar event={event} locale={words.tag} language={chosen || undefined} label="" />
              ) : (
                <p class="ghost" />
              )}
            </div>
            <p class="cut" data-cut={preview.cut} />
          </figure>
        ))}
      </div>
    </div>
  )
}

/** The languages that the preview can show, beside the text itself. */
export const shownTags = ({ translations }: Fields): string[] =>
  translations.filter(({ tag, text }) => tag !== '' && text.trim() !== '').map(({ tag }) => tag)
