/** The bar of spec 2, display rules 1 to 8, as elements, from which both React and a string of HTML are made. */
import { textKey } from './dismissal.ts'
import { ARROW, ARROW_OUT, iconBody } from './icon.ts'
import { type Labels, labelsFor } from './labels.ts'
import { dismissScript, endScript } from './scripts.ts'
import { type BarContent, chooseView } from './view.ts'

/** An element with attributes named as in HTML. A string child is text, to be escaped. */
export interface Markup {
  tag: string
  attributes: Readonly<Record<string, string | undefined>>
  children: readonly (Markup | string)[]
  /**
   * The inside as HTML, instead of children. It is a constant of ours or from the icon set, never from an announcement.
   */
  inside?: string
  /** Distinguishes an element from others in its place. */
  key?: string
}

/** A text with this many letters fits on most bars. */
const SHORT = 40

export interface PlacardBarProps {
  /** The `event` in the answer of `GET /api/events`, or the result of `placard.current()`. */
  event?: (BarContent & { expiresAt?: number | string | null | undefined }) | null | undefined
  /** Shown when there is no event; never stored (spec 2). */
  fallback?: BarContent | null | undefined
  /** BCP 47 tag of the page's language, for screen readers. Default: English. */
  locale?: string | undefined
  /** BCP 47 tag that chooses among the translations of the text (contract A15). Default: `locale`. */
  language?: string | undefined
  /**
   * Whether readers can close the bar. This prints {@link dismissScript} after the bar. Under a Content-Security-Policy,
   * allow the hash of the script, or pass `nonce`.
   */
  dismissible?: boolean | undefined
  nonce?: string | undefined
  /**
   * Whether an open page hides the bar when the announcement ends: within a second, by the reader's clock. This prints
   * {@link endScript} after the bar, under the same rules.
   */
  hideAtEnd?: boolean | undefined
  /**
   * The bar's name for screen readers, to which it is a landmark. Each bar of a page needs its own name. With `''` it is
   * no landmark. Default: "Announcement", in the page's language.
   */
  label?: string | undefined
  /**
   * The page for a link that is only a fragment: with `/pricing`, `#coupon` leads to `/pricing#coupon`. Default: this
   * page.
   */
  base?: string | undefined
}

/**
 * The bar, if there is anything to show, and the scripts that it, or a later one, needs.
 *
 * @param tellsEnd whether its end is an attribute, for a script
 */
export function barMarkup(
  props: PlacardBarProps & { labels?: Labels | undefined },
  tellsEnd = props.dismissible || props.hideAtEnd,
): Markup[] {
  const { event, fallback, locale, dismissible = false } = props
  const { language = locale, base = '' } = props
  const view = chooseView(event, fallback, language)
  const source = view?.from === 'event' ? event : fallback
  // A bar that arrives without a page load runs none of its scripts, so they come first.
  const scripts = barScripts(props)
  if (!view || !source) return scripts
  const { labels = labelsFor(locale) } = props
  const { label = labels.label } = props
  const until = view.from === 'event' ? event?.expiresAt : undefined
  const key = textKey(view.text)
  const body = view.icon === null ? null : iconBody(view.icon)
  const link = {
    class: 'placard-link',
    href: view.href.startsWith('#') ? base + view.href : view.href,
    target: view.target,
    rel: view.rel,
  }
  const bar = element(
    'div',
    {
      class: 'placard',
      role: label ? 'region' : undefined,
      'aria-label': label || undefined,
      'data-type': source.type,
      'data-key': dismissible ? key : undefined,
      'data-until': tellsEnd ? until?.toString() : undefined,
    },
    element(
      'a',
      link,
      body === null
        ? element('span', { class: 'placard-sparkle', 'aria-hidden': 'true' }, '✦')
        : icon('placard-icon', body),
      element(
        'span',
        {
          class: 'placard-text',
          dir: view.dir,
          lang: view.lang,
          // The text may be cut off.
          title: view.text.length > SHORT ? view.text : undefined,
        },
        ...withEmoji(view.text),
      ),
      ...(view.target ? [element('span', { class: 'placard-hint' }, ` (${labels.newTab})`)] : []),
      view.target
        ? icon('placard-arrow placard-out', `<path d="${ARROW_OUT}"/>`)
        : icon('placard-arrow', `<path d="${ARROW}"/>`),
    ),
    element(
      'span',
      { class: 'placard-controls' },
      element('input', { type: 'checkbox', class: 'placard-pause', 'aria-label': labels.pause }),
      ...(dismissible
        ? [
            element('button', {
              type: 'button',
              class: 'placard-close',
              'aria-label': labels.close,
            }),
          ]
        : []),
    ),
    element('span', { class: 'placard-beams', 'aria-hidden': 'true' }, beam(), beam()),
  )
  // With a new key, React renders a new element, so a dismissed bar doesn't hide another text.
  return [{ ...bar, key }, ...scripts]
}

function barScripts({ dismissible, hideAtEnd, nonce }: PlacardBarProps): Markup[] {
  const scripts = [...(dismissible ? [dismissScript] : []), ...(hideAtEnd ? [endScript] : [])]
  // With a key, React keeps the element of a script that has run when the bar before it comes or goes.
  return scripts.map((inside, key) => ({
    ...element('script', { nonce }),
    inside,
    key: `script ${key}`,
  }))
}

export function element(
  tag: string,
  attributes: Markup['attributes'],
  ...children: Markup['children']
): Markup {
  return { tag, attributes, children }
}

function beam(): Markup {
  return element('span', { class: 'placard-beam' }, element('span', { class: 'placard-ray' }))
}

const STROKES = {
  width: '14',
  height: '14',
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '2',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
  'aria-hidden': 'true',
}

/** @param inside from the icon set, never from an announcement */
function icon(name: string, inside: string): Markup {
  return { ...element('svg', { class: name, ...STROKES }), inside }
}

/** What may follow the character of an emoji: a skin tone, the emoji selector, the tags of a flag. */
const MODIFIED = String.raw`(?:\p{EMod}|\ufe0f\u20e3?|[\u{e0020}-\u{e007e}]+\u{e007f})?`
/**
 * Emoji, including joined ones (UTS 51, ED-1.4.9); several in a row match as one. Not `\p{RGI_Emoji}`, because that lists
 * every sequence and takes 50 ms to compile when a process renders its first bar.
 */
const EMOJI = new RegExp(
  String.raw`((?:(?:\p{EPres}|\p{Emoji}(?=[\p{EMod}\ufe0f]))${MODIFIED}(?:\u200d\p{Emoji}${MODIFIED})*)+)`,
  'u',
)

/** Wraps emoji so that they keep their colours. Clipped to the gradient of the text, they would be grey silhouettes. */
function withEmoji(text: string): Markup['children'] {
  return text
    .split(EMOJI)
    .map((part, i) => (i % 2 === 0 ? part : element('span', { class: 'placard-emoji' }, part)))
}
