/** @jsxImportSource hono/jsx */

import { chooseView } from '../../bar/view.ts'
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { canonicalTag, directionOf, languageNamer } from '../../core/language.ts'
import type { Issue } from '../../core/problem.ts'
import { isBlank, linkFault } from '../../core/rules.ts'
import type { Conflict } from '../conflict.ts'
import type { Fields, Reading } from '../form.ts'
import type { Words } from '../words.ts'
import { Bar } from './bar.ts'
import { Segments } from './controls.tsx'

export interface PreviewProps {
  words: Words
  fields: Fields
  reading: Reading
  issues: readonly Issue[]
  warnings: readonly Issue[]
  /** What it edits: a published or a scheduled announcement; `null` for a new one. */
  edits: 'up' | 'scheduled' | null
  /** Whether visitors can close the bar in the owner's look. */
  closes: boolean
  /** What others changed meanwhile. */
  conflict: Conflict | null
  /** The announcement that it would replace now, if it starts now. */
  replaced: Announcement | null
  /** The announcement that it would replace at its start, if that is in the future. */
  replacedThen: Announcement | null
  /** The scheduled announcement that would replace it for good before its end. */
  replacement: Scheduled | null
  now: number
}

/** Whether a draft will wait for its start. A start that can't be read yet counts as in the future. */
export function waits({ fields, reading, now }: Pick<PreviewProps, 'fields' | 'reading' | 'now'>) {
  return reading.startsAt === undefined ? fields.from !== '' : reading.startsAt > now
}

/** The label of the button that publishes. */
export function labelOf(props: PreviewProps): string {
  const { compose, conflict } = props.words
  if (props.edits) return compose.save
  const way = waits(props) ? 'schedule' : 'publish'
  return props.conflict?.kind === 'gone' ? conflict[way] : compose[way]
}

/**
 * The bar as readers will see it on the owner's site. Beside it, unseen and as wide as a phone, are all of its texts,
 * which the script measures to find those that are cut off.
 */
export function Preview(props: PreviewProps) {
  const { words, fields, closes } = props
  const { preview } = words
  const chosen = shownTags(fields).includes(fields.show) ? fields.show : ''
  const texts = new Map(shown(fields).map(({ tag, text }) => [tag, text]))
  const nameOf = languageNamer(words.tag)
  const barOf = (tag: string) => {
    // Without translations, or the preview of the main text would be in the language of the admin.
    const event = {
      text: texts.get(tag) ?? fields.text,
      type: fields.type,
      // A link is invalid while somebody types it, but the preview of the text is still useful.
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
  // Without a preview, the published announcements move up. The script makes room for the preview with the third letter,
  // so that its arrival a moment later moves nothing.
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

/** The choice of the preview's language, if there are any. */
export function Show({ words, fields }: PreviewProps) {
  const tags = shownTags(fields)
  const nameOf = languageNamer(words.tag)
  const labels = Object.fromEntries(tags.map((tag) => [tag, nameOf(tag) ?? tag]))
  return (
    <div class="show">
      {tags.length > 0 && (
        <Segments
          name="show"
          of={['', ...tags]}
          labels={{ ...labels, '': words.preview.original }}
          chosen={fields.show}
        />
      )}
    </div>
  )
}

/** The languages for the preview, beside the main text's. */
const shown = ({ translations }: Fields) =>
  translations.filter(({ tag, text }) => tag !== '' && text.trim() !== '')

const shownTags = (fields: Fields): string[] => shown(fields).map(({ tag }) => tag)
