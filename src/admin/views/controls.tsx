import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { iconBody } from '../../bar/icon.ts'
import { barHtml } from '../../bar/markup.ts'
import type { BarContent } from '../../bar/view.ts'
import { languageNamer, MAX_TAG_LENGTH } from '../../core/language.ts'
import { labelled, SUGGESTED_LANGUAGES, type Words } from '../words.ts'

export function Segments<T extends string>(props: {
  name: string
  label?: string
  of: readonly T[]
  labels: Readonly<Record<T, string>>
  chosen: string
  isFixed?: boolean
}) {
  const { name, label, of, labels, chosen, isFixed = false } = props
  const Group = label === undefined ? 'div' : 'fieldset'
  return (
    <Group class="segments" aria-label={label}>
      {of.map((one) => {
        const state = { checked: one === chosen, disabled: isFixed && one !== chosen }
        return (
          <label key={one}>
            <input type="radio" name={name} value={one} {...state} />
            <span>{labels[one]}</span>
          </label>
        )
      })}
    </Group>
  )
}

/**
 * Attributes of a `textarea` that grows with its text; the script turns line breaks into spaces. Has no
 * `autocomplete="off"`, so that browsers restore the text when its author goes back to the page.
 */
export const LINE = { rows: 1, dir: 'auto', maxlength: 1000 } as const

/** Attributes of a field that doesn't hold prose: a link, an icon's name, a tag. */
export const CODE = { dir: 'ltr', autocapitalize: 'none', spellcheck: false } as const

/** Attributes of a field for a language tag, with the suggestions of {@link Tags}. */
export const TAG = { ...CODE, maxlength: MAX_TAG_LENGTH, list: 'tags' } as const

export function Tags({ words }: { words: Words }) {
  const nameOf = languageNamer(words.tag)
  return (
    <datalist id="tags">
      {SUGGESTED_LANGUAGES.map((tag) => (
        <option key={tag} value={tag} label={nameOf(tag)} />
      ))}
    </datalist>
  )
}

/** The bar as visitors see it, without inline scripts, which the page's Content-Security-Policy would block. */
export function Bar(props: { event: BarContent; words: Words; dismissible?: boolean }) {
  const { event, words, dismissible } = props
  return raw(barHtml({ event, dismissible, locale: words.tag, label: '' }) ?? '')
}

/** Icons to choose from, each a button with its name. Arrow keys move between the buttons, so Tab skips them. */
export function Icons({ names, words }: { names: readonly string[]; words: Words }) {
  return (
    <div>
      {names.length === 0 && <p class="empty">{words.compose.noIcons}</p>}
      {names.map((name) => (
        <button key={name} type="button" tabindex={-1} data-icon={name} title={name}>
          <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
            {raw(iconBody(name) ?? '')}
          </svg>
          <span>{name}</span>
        </button>
      ))}
    </div>
  )
}

export interface NoticeProps {
  kind: 'done' | 'fault'
  text: string
  time?: Child
  /** Buttons or links that offer a next step. */
  more?: Child
}

/** The result of the last action, or the reason why it failed. A new notice replaces the previous one. */
export function Said({ kind, text, time, more }: Partial<NoticeProps>) {
  return (
    <div
      class="notice"
      data-part="notice"
      data-kind={kind}
      role={kind === 'fault' ? 'alert' : 'status'}
      hidden={text === undefined}
    >
      <p>
        {text}
        {time && <> {time}</>}
      </p>
      {more}
    </div>
  )
}

export function Languages({ tags, words }: { tags: readonly string[]; words: Words }) {
  if (tags.length === 0) return null
  return <span class="tags">{`${labelled(words.now.languages, words)} ${tags.join(', ')}`}</span>
}

/** A button that acts immediately: it takes an announcement down, unschedules it, or undoes a history entry. */
export function Press(props: {
  base: string
  path: 'withdraw' | 'undo'
  id: string
  was?: string
  /** The view that the response updates. Default: the view with the announcements. */
  view?: 'history' | false
  /** Whether the button undoes an undo. */
  redoes?: boolean
  label: string
}) {
  const { base, path, id, was, view, redoes, label } = props
  return (
    <form method="post" action={`${base}/${path}`} data-deed>
      <input type="hidden" name="id" value={id} />
      {was && <input type="hidden" name="was" value={was} />}
      {view && <input type="hidden" name="view" value={view} />}
      {redoes && <input type="hidden" name="redoes" />}
      <button type="submit">{label}</button>
    </form>
  )
}
