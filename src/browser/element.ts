import { SHELL } from '../bar/shell.ts'
import { stepAside } from './aside.ts'
import { build } from './build.ts'
import { choicesFor } from './choose.ts'
import { createFeed, type Feed, type State } from './feed.ts'
import { createShadowBar } from './shadow-bar.ts'
import { followTheme } from './theme.ts'

/** The name of the element, and of the event that follows an element's removal from the page. */
export const NAME = 'placard-link'

/**
 * The bar on any site, always current: `<placard-link src="https://notices.example" data-lang="de">`.
 *
 * Importing this module doesn't define the element: call `definePlacardLink()`, or use the script tag, which defines it
 * (see `embed.ts`).
 *
 * The element is in the page's flow. With a `min-height` of 3.25rem, it keeps its space while the bar loads, and while
 * nothing is announced. With `data-float`, it floats at the bottom of the window; with `data-target`, it lies over the
 * start of its parent. In either case, it takes no space in the layout.
 *
 * The element reads these attributes when it is connected, and later reacts only to changes of `data-theme`:
 * - `src`: origin of the service. Use only a service that you trust: the page shows whatever it sends.
 * - `data-lang`: a BCP 47 tag; default: the nearest ancestor's `lang`, or else the reader's language.
 * - `data-theme`: `light` or `dark`; default: the theme of the page around the bar (see `theme.ts`).
 * - `data-live="off"`: no stream; the bar reloads only when the page returns to view.
 * - `data-dismissible`: readers can dismiss the bar. A floating bar can always be dismissed.
 * - `data-keep-space`: keeps a dismissed bar's space. `data-collapse`: gives up the space while nothing is announced.
 * - `data-base`: the page a fragment link opens if its target isn't here: with `/blog`, `#news` opens `/blog#news`.
 * - `data-coupon-href`: where a coupon's fragment link leads if its target isn't on this page.
 * - `data-fallback-text`, `data-fallback-href`: the text and the link to show while nothing is announced.
 */
export class PlacardLink
  // Frameworks also import the class on a server, where there is no `HTMLElement` to extend.
  extends (globalThis.HTMLElement ? HTMLElement : (class {} as typeof HTMLElement))
{
  /** Default values of the `data-…` attributes, for all elements on the page. */
  static defaults: DOMStringMap & { src: string } = { src: '' }
  /**
   * All elements on the page, including those in shadow roots, with the origin of their service. Old pages have a
   * `Map` of their own, so this is an array.
   */
  static bars: [element: PlacardLink, src: string][] = []
  /** The bar that came with each service's script, keyed by the service's origin. */
  static states: Record<string, State> = {}

  #connected: AbortController | undefined
  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    // The nodes may have come in the page's HTML (contract R15), or the page may have moved the element.
    if (!root.firstChild) root.append(...SHELL.map((one) => build(one)))
    const place = root.firstChild as HTMLElement
    // An element from the page's HTML has its settings on its place. They are read only once, because `followTheme`
    // later changes the `data-theme` there.
    if (!this.#connected) Object.assign(this.dataset, { ...place.dataset, ...this.dataset })
    const settings: typeof PlacardLink.defaults = { ...PlacardLink.defaults, ...this.dataset }
    const ancestors = withAncestors(this)
    const base = (this.getAttribute('src') ?? settings.src).replace(/\/$/, '')
    const langs = choicesFor(
      settings.lang ?? ancestors.find((one) => one.lang)?.lang ?? navigator.language,
    )
    place.lang = langs[0] as string
    // Removes the element (with `data-src`) that the script added before an app rendered its own element.
    for (const [one] of PlacardLink.bars) if (one.dataset.src === base) one.remove()
    PlacardLink.bars.push([this, base])

    this.#connected = new AbortController()
    const { signal } = this.#connected
    const bar = createShadowBar(root, settings, signal)
    // Computes styles, which is slow, but must happen before the bar shows; otherwise, the bar wouldn't fade in.
    const theme = followTheme(ancestors, place, signal)
    const key = base + settings.live
    feeds[key] ??= createFeed(
      `${base}/embed.json?lang=`,
      settings.live !== 'off' && `${base}/api/events/stream?bar=`,
      PlacardLink.states[base],
    )
    const leave = feeds[key]({ langs, ...bar })
    if ('float' in settings) stepAside(this, bar.shown, signal)
    signal.onabort = () => {
      theme.disconnect()
      leave()
    }
  }

  disconnectedCallback(): void {
    ;(this.#connected as AbortController).abort()
    PlacardLink.bars = PlacardLink.bars.filter(([one]) => one !== this)
    // Dispatched in a new task; otherwise, a script that removes the element each time it returns would block the page.
    setTimeout(() => {
      dispatchEvent(new MessageEvent(NAME))
    })
  }
}

/** Keyed by the service's origin, and by whether the elements follow its stream. */
const feeds: Record<string, Feed> = {}

/** An element and its ancestors, nearest first, across shadow roots. */
function withAncestors(element: HTMLElement): HTMLElement[] {
  const parent = element.parentElement ?? (element.parentNode as ShadowRoot | null)?.host
  return [element, ...(parent ? withAncestors(parent as HTMLElement) : [])]
}
