/** The bar of spec 2, display rules 1 to 8, as HTML, for use with or without React. */
// React apps can't read the locale files at run time, so the files are imported.

import ar from '../../locales/ar.json' with { type: 'json' }
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ja from '../../locales/ja.json' with { type: 'json' }
import { textKey } from '../core/checksum.ts'
import { h, type Tree } from '../core/tree.ts'
import { attributesOf, Html, html, printed } from './html.ts'
import { ARROW, ARROW_OUT, iconTree } from './icon.ts'
import { dismissScript, endScript } from './scripts.ts'
import { type BarContent, chooseView } from './view.ts'

type Labels = (typeof en)['bar']

const LOCALES = new Map(Object.entries({ ar, de, en, es, fr, ja }))

/** The language of a tag, without script and region: `de` for `de-AT`. Default: English. */
const languageOf = (tag = 'en') => tag.toLowerCase().replace(/[-_].*/, '')

/** What the bar shows, and how. With neither an `event` nor a `fallback`, there is no bar. */
export interface PlacardBarProps {
  /** The `event` in the response to `GET /api/events`, or the result of `placard.current()`. */
  event?: BarContent | null | undefined
  /** The content to show when there is no event. A fallback is never stored (spec 2). */
  fallback?: BarContent | null | undefined
  /** BCP 47 tag of the page's language, for screen readers. Default: English. */
  locale?: string | undefined
  /** BCP 47 tag that chooses among the translations of the text (contract A15). Default: `locale`. */
  language?: string | undefined
  /**
   * Lets readers dismiss the bar, and prints {@link dismissScript} before the bar. Under a Content-Security-Policy,
   * allow the hash of the script, or pass `nonce`.
   */
  dismissible?: boolean | undefined
  /** The nonce of the page's Content-Security-Policy, for the scripts that are printed. */
  nonce?: string | undefined
  /**
   * Hides the bar on open pages within a second of the announcement's end, by the reader's clock. Prints
   * {@link endScript} before the bar; a Content-Security-Policy must allow that script too.
   */
  hideAtEnd?: boolean | undefined
  /**
   * The bar's name for screen readers, which treat the bar as a landmark. Each bar on a page needs its own name. With
   * `''`, the bar isn't a landmark. Default: "Announcement", in the page's language.
   */
  label?: string | undefined
  /**
   * The page that a fragment link opens: with `/pricing`, `#coupon` leads to `/pricing#coupon`.
   * Default: the current page.
   */
  base?: string | undefined
}

/** Props for a page whose locale has its own labels. */
type LabelledProps = PlacardBarProps & { labels?: Labels | undefined }

/**
 * The bar of spec 2, display rules 1 to 8, as a string of HTML: the output of `<PlacardBar>`, without React. Its look and
 * motion are in `placard/placard.css`. If there is nothing to show, the function returns only the requested scripts.
 *
 * Call it on a server, because this module includes the icon set, which a browser shouldn't load.
 */
export function placardHtml(props: PlacardBarProps): string {
  const nonce = attributesOf({ nonce: props.nonce })
  const scripts = scriptsOf(props).map((one) => html`<script${nonce}>${new Html(one)}</script>`)
  return String(html`${scripts}${barHtml(props)}`)
}

/** Renders the bar without its scripts; `undefined` if there is nothing to show. */
export function barHtml(props: LabelledProps): Html | undefined {
  const tree = barTree(props)
  return tree && printed(tree)
}

/** The bar without its scripts, as a tree; `undefined` if there is nothing to show. */
export function barTree(props: LabelledProps, more: object = {}): Tree | undefined {
  const bar = barOf(props)
  return bar && h('div', { class: 'placard', ...bar.attributes, ...more }, ...bar.inside)
}

/** The bar, if there is anything to show: its key, the attributes of its element besides the class, and its content. */
export function barOf(props: LabelledProps) {
  const { event, fallback, locale, dismissible, language = locale, base = '' } = props
  const view = chooseView(event, fallback, language)
  if (!view) return undefined
  const shipped = LOCALES.get(languageOf(locale))
  const { labels = (shipped ?? en).bar, label = labels.label } = props
  // If the labels for screen readers aren't in the language of the announcement, they get a `lang` of their own.
  const spoken = props.labels || shipped ? locale : 'en'
  const own = languageOf(spoken) === languageOf(language) ? undefined : spoken
  const { text, dir, lang, target, rel } = view
  // Long text gets a tooltip, because the bar may cut it off. Text of up to 40 characters fits into most bars.
  const title = text.length > 40 ? text : undefined
  const href = view.href.startsWith('#') ? base + view.href : view.href
  const icon = view.icon === null ? null : iconTree(view.icon)
  const key = textKey(view.original)
  const inside = [
    h(
      'a',
      { class: 'placard-link', href, target, rel },
      icon
        ? svg('placard-icon', icon)
        : h('span', { class: 'placard-sparkle', 'aria-hidden': true }, '✦'),
      h('span', { class: 'placard-text', dir, lang, title }, ...withEmoji(text)),
      target && h('span', { class: 'placard-hint', lang: own }, ` (${labels.newTab})`),
      target ? svg('placard-arrow placard-out', ARROW_OUT) : svg('placard-arrow', ARROW),
    ),
    h(
      'span',
      { class: 'placard-controls', lang: own },
      h('input', { type: 'checkbox', class: 'placard-pause', 'aria-label': labels.pause }),
      dismissible &&
        h('button', { type: 'button', class: 'placard-close', 'aria-label': labels.close }),
    ),
    h('span', { class: 'placard-beams', 'aria-hidden': true }, BEAM, BEAM),
  ]
  const attributes = {
    role: label ? 'region' : undefined,
    'aria-label': label || undefined,
    'data-type': view.type,
    'data-id': dismissible ? view.id : undefined,
    'data-key': dismissible ? key : undefined,
    'data-since': dismissible ? view.since : undefined,
    'data-until': view.until,
  }
  // A framework that gets a new key creates a new element, so a dismissal doesn't carry over to another announcement.
  return { key: `${key} ${view.since}`, attributes, inside }
}

/** Returns the requested scripts, even without a bar, because a bar that is inserted later can't run scripts. */
export function scriptsOf({ dismissible, hideAtEnd }: PlacardBarProps): string[] {
  return [...(dismissible ? [dismissScript] : []), ...(hideAtEnd ? [endScript] : [])]
}

const BEAM = h('span', { class: 'placard-beam' }, h('span', { class: 'placard-ray' }))

const svg = (name: string, inside: readonly Tree[]) =>
  h(
    'svg',
    { class: name, width: 14, height: 14, viewBox: '0 0 24 24', 'aria-hidden': true },
    ...inside,
  )

/** Matches a modifier after an emoji's base character: a skin tone, the emoji variation selector, or a flag's tags. */
const MODIFIED = String.raw`(?:\p{EMod}|\ufe0f\u20e3?|[\u{e0020}-\u{e007e}]+\u{e007f})?`
/**
 * Matches emoji, including joined ones (UTS 51, section 1.4.9), and several in a row as one match. `\p{RGI_Emoji}`
 * would expand to every sequence and take 50 ms to compile when a process renders its first bar.
 */
const EMOJI = new RegExp(
  String.raw`((?:(?:\p{EPres}|\p{Emoji}(?=[\p{EMod}\ufe0f]))${MODIFIED}(?:\u200d\p{Emoji}${MODIFIED})*)+)`,
  'u',
)

/** Wraps emoji so that they keep their colours. Blended like the text, emoji would be grey silhouettes. */
const withEmoji = (text: string) =>
  text
    .split(EMOJI)
    .map((part, i) => (i % 2 === 0 ? part : h('span', { class: 'placard-emoji' }, part)))
