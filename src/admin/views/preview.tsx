import { chooseView } from '../../bar/view.ts'
import { canonicalTag, directionOf, languageNamer } from '../../core/language.ts'
import { isBlank, linkFault } from '../../core/rules.ts'
import type { Evaluation } from '../draft/evaluate.ts'
import type { Fields } from '../draft/fields.ts'
import { Bar, Segments } from './controls.tsx'

/**
 * The bar as readers will see it on the owner's site. A hidden, phone-wide copy of each text lets the script find the
 * texts that phones cut off.
 */
export function Preview(props: Evaluation) {
  const { words, fields, reading, closes } = props
  const { preview } = words
  const chosen = chosenIn(fields)
  const nameOf = languageNamer(words.tag)
  const barOf = (tag: string) => {
    // The event has only the chosen text. Given several, the bar would choose the one in the admin's language.
    const event = {
      text: shown(fields).find((one) => one.tag === tag)?.text ?? fields.text,
      type: fields.type,
      // A half-typed link may be invalid, but the preview of the text is still useful.
      slug: linkFault(fields.slug.trim()) ? '/' : fields.slug,
      icon: reading.input.icon ?? null,
      language: canonicalTag(tag || fields.language),
    }
    return chooseView(event, null) && <Bar event={event} words={words} dismissible={closes} />
  }
  // While the text has fewer than three characters, a message replaces the preview. At the third character, the script
  // shows the preview's area immediately, so that nothing moves when the response arrives.
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

export function Show({ words, fields }: Evaluation) {
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
          chosen={chosenIn(fields)}
        />
      )}
    </div>
  )
}

/** The finished translations, which the preview offers besides the main text. */
const shown = ({ translations }: Fields) =>
  translations.filter(({ tag, text }) => tag !== '' && text.trim() !== '')

const shownTags = (fields: Fields): string[] => shown(fields).map(({ tag }) => tag)

const chosenIn = (fields: Fields) => (shownTags(fields).includes(fields.show) ? fields.show : '')
