import { applyDismissal } from '../bar/dismissal.ts'
import { stepAside } from './aside.ts'
import { follow } from './follow.ts'

/** Without a DOM the class can still be imported, as frameworks do when they render on a server. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

/**
 * The bar on any site, always current: `<placard-link src="https://notices.example" data-lang="de">`.
 *
 * To import this defines no element: `customElements.define('placard-link', PlacardLink)` does. The script tag does both
 * (see `embed.ts`).
 *
 * Attributes, which are read when it is connected:
 * - `src`: origin of the service. Name only one that you trust, because its answers are shown as HTML.
 * - `data-lang`: a BCP 47 tag; default: that of the nearest ancestor with `lang`, else the reader's.
 * - `data-theme`: `light` or `dark`; default: that of the nearest ancestor with `data-theme`, else the
 *   reader's.
 * - `data-live="off"`: no stream; the bar is only loaded again when the page comes back into view.
 * - `data-dismissible`: readers can close the bar. A floating one can always be closed.
 * - `data-target`: set if it stands in a place on the page; else it floats at the bottom of the window.
 *
 * It takes no room in the page's flow, because it lies over what follows. So it never shifts the layout.
 */
export class PlacardLink extends Base {
  #stop: (() => void) | undefined

  connectedCallback(): void {
    const { live, dismissible, target } = this.dataset
    const lang = this.dataset.lang ?? this.closest<HTMLElement>('[lang]')?.lang
    const floats = target === undefined
    const base = this.getAttribute('src') ?? ''
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const styles = make('link', { rel: 'stylesheet', href: `${base}/placard.css` })
    const place = make('div')
    // Screen readers announce its changes. It is empty at first, so they announce only what changes later.
    const status = make('div', { class: 'placard-hint', role: 'status' })
    root.replaceChildren(styles, place, status)

    const applyTheme = () => {
      const theme = this.closest<HTMLElement>('[data-theme]')?.dataset.theme
      if (theme) place.dataset.theme = theme
      else delete place.dataset.theme
    }
    applyTheme()
    const themes = new MutationObserver(applyTheme)
    themes.observe(document, { attributes: true, subtree: true, attributeFilter: ['data-theme'] })

    let first = true
    let stopAside = () => {}
    // Nothing is shown before the styles are loaded. If they aren't, the bar never shows.
    const styled = new Promise((resolve) => {
      styles.onload = resolve
    }).then(() => {
      this.hidden = false
    })
    const query = new URLSearchParams()
    if (lang) query.set('lang', lang)
    if (floats || dismissible !== undefined) query.set('dismissible', '')
    const unfollow = follow({
      source: `${base}/embed.html?${query}`,
      stream: live === 'off' ? undefined : `${base}/api/events/stream`,
      show: async (html) => {
        await styled
        const fragment = html.querySelector('[data-state]')
        const bar = fragment?.querySelector('.placard')
        const focused = root.activeElement?.className
        const paused = place.querySelector<HTMLInputElement>(':checked')
        // This script is for pages that the service renders. It can't find the bar here.
        fragment?.querySelector('script')?.remove()
        applyDismissal(bar)
        place.replaceChildren(...(fragment ? [fragment] : []))
        if (paused) place.querySelector('input')?.click()
        if (focused) place.querySelector<HTMLElement>(`.${focused}`)?.focus()
        const text = bar?.hasAttribute('hidden') ? '' : bar?.querySelector('a')?.textContent
        if (!first) status.textContent = text ?? ''
        else if (floats) stopAside = stepAside(this, () => place.querySelector('.placard'))
        first = false
      },
    })
    this.#stop = () => {
      themes.disconnect()
      unfollow()
      stopAside()
    }
  }

  disconnectedCallback(): void {
    this.#stop?.()
  }
}

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key] ?? '')
  return element
}
