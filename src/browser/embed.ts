/**
 * The script tag's entry, `/embed.js`. The bar stands where its element is:
 *
 * ```html
 * <placard-link style="display: block; min-height: 3.25rem"></placard-link>
 * <script src="https://notices.example/embed.js" async></script>
 * ```
 *
 * The element keeps its room, so the page doesn't shift, however late the bar comes. A page that has loaded without such
 * an element gets one that floats at the bottom of the window and can be closed. With `data-target="#top"`, it lies over
 * the start of that element, as soon as there is one. It should be empty and about 3.25 rem high. Whatever else the tag has
 * of `data-…` is the default for all elements of the page.
 *
 * A Content-Security-Policy has to allow the service's origin in `script-src`, `style-src` and `connect-src`. It need
 * allow nothing inline, no eval, no image and no font.
 */
import { PlacardLink } from './element.ts'

const NAME = 'placard-link'

function boot(script: HTMLScriptElement): void {
  const src = new URL(script.src).origin
  const settings: typeof PlacardLink.defaults = { ...script.dataset, src }
  const { target } = settings
  const home = script.parentNode ?? document
  // A page may have tags of two services. Elements without a `src` belong to the first.
  let defined = customElements.get(NAME) as typeof PlacardLink | undefined
  if (!defined) {
    defined = PlacardLink
    defined.defaults = settings
    customElements.define(NAME, defined)
  }
  const { bars } = defined
  if (!bars) {
    warn(`${NAME} is taken`)
    return
  }

  /** Whether there is no place for it where there could be one. */
  const insert = () => {
    // The same tag twice is one bar. A body that has gone takes its tag along. A loader may have removed the tag alone.
    if (!home.isConnected || [...bars].some(([, one]) => one === src)) return
    // By then the page's scripts have rendered what elements it has.
    const isLoaded = document.readyState === 'complete'
    const place = target ? document.querySelector<HTMLElement>(target) : isLoaded && document.body
    if (!place) return isLoaded
    const element = document.createElement(NAME)
    defined.made = element
    Object.assign(element.dataset, settings)
    // Without its styles it would stand in the flow.
    element.hidden = true
    if (!target) {
      element.dataset.float = ''
      return place.append(element)
    }
    // The element is positioned over its place, so it adds no gap, margin or height.
    if (getComputedStyle(place).position === 'static') place.style.position = 'relative'
    place.prepend(element)
  }
  const start = () => insert() && warn(`no ${target}`)
  start()
  addEventListener('load', start)
  // An app may render the place later. Turbo and the like replace the body at each visit. In the new one a tag runs again,
  // and in the head it doesn't.
  new MutationObserver(insert).observe(document.documentElement, {
    childList: true,
    subtree: !!target,
  })
}

function warn(what: string): void {
  // biome-ignore lint/suspicious/noConsole: whoever put the tag there has nothing else to look at
  console.warn(`Placard: ${what}`)
}

const { currentScript } = document
if (currentScript) boot(currentScript as HTMLScriptElement)
