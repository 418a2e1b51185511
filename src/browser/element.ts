import { ENTRY, recallClosing } from '../bar/dismissal.ts'
import { stepAside } from './aside.ts'
import { MINUTE } from './follow.ts'
import { keepCurrent } from './fragments.ts'
import { listen } from './listen.ts'
import { swap } from './swap.ts'
import { around, followTheme } from './theme.ts'

/**
 * The bar on any site, always current: `<placard-link src="https://notices.example" data-lang="de">`.
 *
 * To import this defines no element: `customElements.define('placard-link', PlacardLink)` does. The script tag does both
 * (see `embed.ts`).
 *
 * It stands in the page's flow. With a `min-height` of 3.25rem it keeps its room, however late the bar comes, and when
 * there is none. With `data-float` it floats at the bottom of the window, with `data-target` it lies over the start of
 * its parent. Neither takes room, so nothing ever shifts the layout.
 *
 * Attributes, which are read when it is connected:
 * - `src`: origin of the service. Name only one that you trust, because its answers are shown as HTML.
 * - `data-lang`: a BCP 47 tag; default: that of the nearest ancestor with `lang`, else the reader's.
 * - `data-theme`: `light` or `dark`; default: what the page is where it stands (see `theme.ts`).
 * - `data-live="off"`: no stream; the bar is only loaded again when the page comes back into view.
 * - `data-dismissible`: readers can close the bar. A floating one can always be closed.
 * - `data-collapse`: gives its room up while there is no bar.
 * - `data-base`: where a fragment leads that the page doesn't have: `#news` to `/blog#news` for `/blog`.
 * - `data-coupon-href`: where a coupon's fragment leads that the page doesn't have.
 * - `data-fallback-text`, `data-fallback-href`: shown while nothing is announced.
 */
/** The element's, and that of the event that tells of one that has left the page. */
export const NAME = 'placard-link'

export class PlacardLink
  // Without a DOM the class can still be imported, as frameworks do when they render on a server.
  extends (globalThis.HTMLElement ? HTMLElement : (class {} as typeof HTMLElement))
{
  /** Defaults of the attributes above, for all elements on the page. */
  static defaults: DOMStringMap & { src: string } = { src: '' }
  /** All that are on the page, in shadow roots too, each with the origin of its service. */
  static bars = new Map<PlacardLink, string>()

  #connected: AbortController | undefined
  connectedCallback(): void {
    const settings: typeof PlacardLink.defaults = { ...PlacardLink.defaults, ...this.dataset }
    const places = around(this)
    const lang = settings.lang ?? places.find((one) => one.lang)?.lang
    const base = (this.getAttribute('src') ?? settings.src).replace(/\/$/, '')
    // An app may render its element after the script tag found none, and has made one. Only such a one has `data-src`.
    for (const [one] of PlacardLink.bars) if (one.dataset.src === base) one.remove()
    PlacardLink.bars.set(this, base)
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const styles = make('link', { rel: 'stylesheet', href: `${base}/placard.css` })
    const place = make('div', { className: 'placard-place' })
    // Screen readers announce its changes. It is empty at first, so they announce only what changes later.
    const status = make('div', { className: 'placard-hint', role: 'status' })
    root.replaceChildren(styles, place, status)
    this.#connected = new AbortController()
    const { signal } = this.#connected
    const bar = () => place.querySelector('.placard') as HTMLElement
    // Its own attributes stay as they are: a page's stylesheet may hide it, and React compares them.
    const gone = new CSSStyleSheet()
    gone.replaceSync(':host{display:none!important;min-height:0!important}')
    const closable = 'float' in settings || 'dismissible' in settings ? '&dismissible' : ''
    const look = (one: HTMLElement = bar(), isClosed?: boolean) => {
      const until = closable && recallClosing(one, ENTRY, isClosed, base)
      if (!one.hidden) root.adoptedStyleSheets = []
      // What was dismissed gives its space up unless that is kept, and where nothing shows it is kept unless it is given up.
      else if ((until ? 'keepSpace' : 'collapse') in settings === !until)
        root.adoptedStyleSheets = [gone]
    }
    // What is up may still be what was dismissed last.
    look(styles)
    // Without its styles, one that the tag has made would stand in the flow.
    if (this.dataset.src) root.adoptedStyleSheets = [gone]
    // Only now: it computes styles, and what closes after that does so in a transition.
    const theme = followTheme(places, place, signal)
    listen(
      place,
      ({ target }) => (target as Element).matches('button') && look(bar(), true),
      signal,
      'click',
    )
    listen(document, () => bar() && look(), signal, 'visibilitychange', ENTRY)

    let changes = 0
    // Nothing is shown before the styles are loaded. They are asked for again if they can't be.
    const styled = new Promise((resolve) => {
      styles.onload = resolve
      styles.onerror = () => setTimeout(() => root.append(styles), MINUTE)
    })
    const leave = keepCurrent({
      source: `${base}/embed.html?lang=${lang ?? ''}${closable}`,
      stream: settings.live === 'off' ? '' : `${base}/api/events/stream`,
      untold: () => {
        const one = bar()
        if (!((one?.dataset.until as unknown as number) <= Date.now())) return
        one.hidden = true
        look()
      },
      show: async (fragment) => {
        await styled
        const fresh = prepare(fragment, settings)
        const focused = root.activeElement?.className
        if (place.querySelector(':checked')) fresh.querySelector('input')?.click()
        look(fresh)
        swap(place, [fragment])
        if (focused) place.querySelector<HTMLElement>(`.${focused}`)?.focus()
        if (changes++)
          status.textContent = fresh.hidden
            ? ''
            : (fresh.querySelector('.placard-text') as HTMLElement).textContent
        else if ('float' in settings) stepAside(this, bar, signal)
      },
    })
    signal.onabort = () => {
      theme.disconnect()
      leave()
    }
  }

  disconnectedCallback(): void {
    this.#connected?.abort()
    PlacardLink.bars.delete(this)
    // In a task of its own, so that a page is not brought to a stop by a script in it that removes what it doesn't know.
    setTimeout(() => dispatchEvent(new Event(NAME)))
  }
}

/**
 * Gives the bar of a fragment. The service sends a hidden one to fill in when it has nothing to show.
 *
 * A link that is only a fragment leads where the page's owner says, if the page doesn't have it, else into the page. With a
 * `<base href>` it would not. A script may change the address of the page meanwhile.
 */
function prepare(
  fragment: Element,
  { fallbackText, fallbackHref = '#', base, couponHref }: DOMStringMap,
): HTMLElement {
  const bar = fragment.querySelector('.placard') as HTMLElement
  const link = bar.querySelector('a') as HTMLAnchorElement
  if (bar.hidden && fallbackText) {
    ;(bar.querySelector('.placard-text') as Element).textContent = fallbackText
    link.href = fallbackHref
    bar.dataset.key &&= fallbackText
    bar.hidden = false
  }
  const to = link.getAttribute('href') as string
  if (to[0] === '#') {
    const elsewhere =
      !document.getElementById(to.slice(1)) &&
      ((bar.dataset.type === 'coupon' && couponHref) || (base && base + to))
    if (elsewhere) link.href = elsewhere
    else
      link.onclick = () => {
        link.href = new URL(to, location.href).href
      }
  }
  return bar
}

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties)
}
