import { applyDismissal } from '../bar/dismissal.ts'
import { stepAside } from './aside.ts'
import { follow } from './follow.ts'
import { swap, titleWhenCut } from './swap.ts'
import { followTheme } from './theme.ts'

/** When styles that could not be loaded are asked for again, in ms: as often as a page without a stream asks. */
const STYLES_AGAIN = 60_000

/** Without a DOM the class can still be imported, as frameworks do when they render on a server. */
const Base = globalThis.HTMLElement ? HTMLElement : (class {} as typeof HTMLElement)

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
export class PlacardLink extends Base {
  /** Defaults of the attributes above, for all elements on the page. */
  static defaults: DOMStringMap & { src?: string } = {}
  /** All that are on the page, in shadow roots too, each with the origin of its service. */
  static bars = new Map<PlacardLink, string>()
  /** What the script tag has made, where it found no element. */
  declare static floating: HTMLElement | undefined

  #connected: AbortController | undefined
  #close: ((key: string | undefined) => unknown) | undefined

  connectedCallback(): void {
    const settings = { ...PlacardLink.defaults, ...this.dataset }
    const { live, dismissible, float, collapse } = settings
    const lang = settings.lang ?? this.closest<HTMLElement>('[lang]')?.lang
    const base = this.getAttribute('src') ?? PlacardLink.defaults.src ?? ''
    PlacardLink.bars.set(this, base)
    // An app may render its element after the script tag found none.
    if (float === undefined) PlacardLink.floating?.remove()
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const styles = make('link', { rel: 'stylesheet', href: `${base}/placard.css` })
    const place = make('div', { className: 'placard-place' })
    // Screen readers announce its changes. It is empty at first, so they announce only what changes later.
    const status = make('div', { className: 'placard-hint', role: 'status' })
    root.replaceChildren(styles, place, status)
    titleWhenCut(place)
    this.#connected = new AbortController()
    const { signal } = this.#connected
    followTheme(this, place, signal)
    const bar = () => place.querySelector<HTMLElement>('.placard')
    const markEmpty = () => {
      const empty = this.toggleAttribute('data-empty', bar()?.hidden !== false)
      if (collapse !== undefined) this.hidden = empty
    }
    /** Only where there is a bar. */
    const hide = () => {
      ;(bar() as HTMLElement).hidden = true
      markEmpty()
    }
    this.#close = (key) => bar()?.dataset.key === key && hide()

    let first = true
    // Nothing is shown before the styles are loaded. They are asked for again if they can't be.
    const styled = new Promise((resolve) => {
      styles.onload = resolve
      styles.onerror = () => setTimeout(() => root.append(styles), STYLES_AGAIN)
    })
    const closable = (float ?? dismissible) !== undefined
    const query =
      (lang ? `lang=${encodeURIComponent(lang)}&` : '') + (closable ? 'dismissible' : '')
    follow({
      source: `${base}/embed.html?${query}`,
      stream: live === 'off' ? '' : `${base}/api/events/stream`,
      signal,
      untold: () => Number(bar()?.dataset.until) <= Date.now() && hide(),
      show: async (fragment) => {
        await styled
        this.hidden = false
        fillIn(fragment, settings)
        const fresh = fragment.querySelector<HTMLElement>('.placard')
        const focused = root.activeElement?.className
        const paused = place.querySelector<HTMLInputElement>(':checked')
        // This script is for pages that the service renders. It can't find the bar here.
        fragment.querySelector('script')?.remove()
        lead(fresh, settings)
        applyDismissal(fresh)
        swap(place, [fragment])
        fresh?.querySelector('button')?.addEventListener('click', () => {
          // What is closed in one place is closed in the others.
          for (const [one] of PlacardLink.bars) one.#close?.(fresh.dataset.key)
        })
        if (paused) place.querySelector('input')?.click()
        if (focused) place.querySelector<HTMLElement>(`.${focused}`)?.focus()
        if (!first)
          status.textContent = fresh?.hidden ? '' : (fresh?.querySelector('a')?.textContent ?? '')
        else if (float !== undefined) stepAside(this, bar, signal)
        first = false
        markEmpty()
      },
    })
  }

  disconnectedCallback(): void {
    this.#connected?.abort()
    PlacardLink.bars.delete(this)
  }
}

/** The service sends a bar to fill in when it has nothing to show. */
function fillIn(fragment: Element, { fallbackText, fallbackHref }: DOMStringMap): void {
  const template = fragment.querySelector('template')
  const bar = template?.content.querySelector<HTMLElement>('.placard')
  template?.remove()
  if (!fallbackText || !bar) return
  const text = bar.querySelector('.placard-text') as Element
  text.textContent = fallbackText
  bar.querySelector('a')?.setAttribute('href', fallbackHref ?? '#')
  bar.dataset.key = encodeURIComponent(fallbackText)
  fragment.append(bar)
}

/** Leads a fragment that the page doesn't have to where the page's owner says that it is. */
function lead(bar: HTMLElement | null | undefined, { base, couponHref }: DOMStringMap): void {
  const link = bar?.querySelector('a')
  const fragment = link?.getAttribute('href') ?? ''
  if (!link || !fragment.startsWith('#') || document.getElementById(fragment.slice(1))) return
  if (couponHref !== undefined && bar?.dataset.type === 'coupon') link.href = couponHref
  else if (base !== undefined) link.href = base + fragment
}

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties)
}
