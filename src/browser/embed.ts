/**
 * The script tag's entry, `/embed.js`. The bar stands where its element is:
 *
 * ```html
 * <placard-link style="display: block; min-height: 3.25rem"></placard-link>
 * <script src="https://notices.example/embed.js" async></script>
 * ```
 *
 * The element keeps its room, so the page doesn't shift, however late the bar comes. A page without such an element gets
 * one that floats at the bottom of the window and can be closed. With `data-target="#top"`, it lies over the start of
 * that element, which should be empty and about 3.25 rem high. Whatever else the tag has of `data-…` is the default for
 * all elements of the page.
 *
 * A Content-Security-Policy has to allow the service's origin in `script-src`, `style-src` and `connect-src`. It need
 * allow nothing inline, no eval, no image and no font.
 */
import { PlacardLink } from './element.ts'

const NAME = 'placard-link'

function boot(script: HTMLScriptElement): void {
  const src = new URL(script.src).origin
  const { target } = script.dataset
  // A page may have tags of two services. Elements without a `src` belong to the first.
  let defined = customElements.get(NAME) as typeof PlacardLink | undefined
  if (!defined) {
    defined = PlacardLink
    defined.defaults = { ...script.dataset, src }
    customElements.define(NAME, defined)
  }

  const insert = () => {
    // The same tag twice is one bar. The elements of the page are there by now, in shadow roots too.
    if ([...defined.bars.values()].includes(src)) return
    const element = document.createElement(NAME)
    element.setAttribute('src', src)
    Object.assign(element.dataset, script.dataset)
    // Without its styles it would stand in the flow.
    element.hidden = true
    if (target === undefined) {
      element.dataset.float = ''
      defined.floating = element
      return document.body.append(element)
    }
    const place = document.querySelector<HTMLElement>(target)
    if (!place) {
      // biome-ignore lint/suspicious/noConsole: whoever put the tag there has nothing else to look at
      console.warn(`Placard: no ${target}`)
      return
    }
    // The element is positioned over its place, so it adds no gap, margin or height.
    if (getComputedStyle(place).position === 'static') place.style.position = 'relative'
    place.prepend(element)
  }
  const start = () => {
    insert()
    // Turbo and the like replace the body at each visit. In the new one a tag runs again, and in the head it doesn't.
    if (document.head.contains(script)) {
      new MutationObserver(insert).observe(document.documentElement, { childList: true })
    }
  }
  // An async script may run before the rest of the page is there.
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
  else start()
}

const { currentScript } = document
if (currentScript) boot(currentScript as HTMLScriptElement)
