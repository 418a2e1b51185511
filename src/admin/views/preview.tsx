/** @jsxImportSource hono/jsx */

import type { JSX } from 'hono/jsx/jsx-runtime'
import { chooseView } from '../../bar/view.ts'
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { canonicalTag, directionOf, languageNamer } from '../../core/language.ts'
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
  /** What it edits: what is up, or what is scheduled; `null` for a new one. */
  edits: 'up' | 'scheduled' | null
  /** Whether visitors can close the bar, where the owner has it. */
  closes: boolean
  /** What others did meanwhile. */
  conflict: Conflict | null
  /** What it would replace at once, if it starts at once. */
  replaced: Announcement | null
  /** What it would replace at its start, if that lies ahead. */
  replacedThen: Announcement | null
  /** The scheduled one that would take its place for good before its end. */
  replacement: Scheduled | null
  now: number
}

/** Whether a draft waits for its start. A start that can't be read yet is meant to lie ahead. */
export function waits({ fields, reading, now }: Pick<PreviewProps, 'fields' | 'reading' | 'now'>) {
  return reading.startsAt === undefined ? fields.from !== '' : reading.startsAt > now
}

/** What the button does that puts a draft up. */
export function labelOf(props: PreviewProps): string {
  const { compose, conflict } = props.words
  if (props.edits) return compose.save
  const way = waits(props) ? 'schedule' : 'publish'
  return props.conflict?.kind === 'gone' ? conflict[way] : compose[way]
}

/**
 * The bar itself, as readers will see it where the owner has it on their site. Beside it stand all of its texts as wide as a
 * phone, unseen, for the script to measure which of them are cut off.
 */
export function Preview(props: PreviewProps): JSX.Element {
  const { words, fields, closes } = props
  const { preview } = words
  const chosen = shownTags(fields).includes(fields.show) ? fields.show : ''
  const texts = new Map(fields.translations.map(({ tag, text }) => [tag, text]))
  const nameOf = languageNamer(words.tag)
  const barOf = (tag: string) => {
    // The text itself has no translations, or its reader would see the one in the language of the admin instead.
    const event = {
      text: texts.get(tag) ?? fields.text,
      type: fields.type,
      // While somebody types a link it isn't one yet, and the text is worth looking at all the same.
      slug: linkFault(fields.slug.trim()) ? '/' : fields.slug,
      icon: fields.icon || null,
      language: canonicalTag(tag || fields.language),
    }
    return (
      chooseView(event, null) && (
        <Bar event={event} locale={words.tag} label="" dismissible={closes} />
      )
    )
  }
  // While there is nothing to see, what is up stands higher on the page. The script shows the stage with the third letter,
  // so that the answer, which comes a moment later, moves nothing.
  return (
    <div data-part="preview" data-blank={isBlank(fields.text) || undefined}>
      <p class="blank">{preview.empty}</p>
      <div class="stage">
        <div class="place" dir={directionOf(chosen || fields.language || words.tag)} inert>
          {barOf(chosen) ?? <p class="ghost" />}
        </div>
      </div>
      <div class="gauges" aria-hidden="true" inert>
        {['', ...shownTags(fields)].map((tag) => (
          <div key={tag} class="place" data-name={tag && (nameOf(tag) ?? tag)}>
            {barOf(tag)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** The languages that the preview can show, beside the text itself. */
export const shownTags = ({ translations }: Fields): string[] =>
  translations.filter(({ tag, text }) => tag !== '' && text.trim() !== '').map(({ tag }) => tag)
