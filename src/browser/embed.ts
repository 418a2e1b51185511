/**
 * The script tag's entry, `/embed.js`:
 *
 * ```html
 * <div id="top" style="min-height: 3rem"></div>
 * <script src="https://notices.example/embed.js" async data-target="#top"></script>
 * ```
 *
 * With `data-target`, the bar lies over the start of that element, which should be empty and about 3 rem high. Without
 * it, the bar floats at the bottom of the window and can be closed. Neither ever shifts the page, however late it comes.
 * The element gets `data-lang`, `data-theme`, `data-live` and `data-dismissible`.
 *
 * A Content-Security-Policy has to allow the service's origin in `script-src`, `style-src` and `connect-src`. It need
 * allow nothing inline, no eval, no image and no font.
 */
import { PlacardLink } from './element.ts'

const NAME = 'placard-link'

function boot(script: HTMLScriptElement): void {
  if (!customElements.get(NAME)) customElements.define(NAME, PlacardLink)
  const element = document.createElement(NAME)
  element.setAttribute('src', new URL(script.src).origin)
  // Without its styles it would stand in the flow.
  element.hidden = true
  for (const key in script.dataset) element.dataset[key] = script.dataset[key]

  const insert = () => {
    const { target } = script.dataset
    const place = target === undefined ? document.body : document.querySelector(target)
    if (!(place instanceof HTMLElement)) return
    // The element is positioned over its place, so it adds no gap, margin or height.
    if (target !== undefined && getComputedStyle(place).position === 'static') {
      place.style.position = 'relative'
    }
    if (target === undefined) place.append(element)
    else place.prepend(element)
  }
  // An async script may run before the rest of the page is there.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', insert)
  else insert()
}

if (document.currentScript instanceof HTMLScriptElement) boot(document.currentScript)
