/**
 * The entry point of `/embed.js`. The bar shows where the page has the element:
 *
 * ```html
 * <placard-link style="display: block; min-height: 3.25rem"></placard-link>
 * <script src="https://notices.example/embed.js" async></script>
 * ```
 *
 * The element reserves its space, so the page doesn't shift, however late the bar loads. If the page has no such
 * element once it has loaded, the script adds one that floats at the bottom of the window and can be dismissed. With
 * `data-target="#top"`, the bar lies over the start of that element as soon as the element exists. The target should be
 * empty and about 3.25 rem high. Other `data-…` attributes of the script tag are defaults for all elements of the page.
 *
 * A Content-Security-Policy must allow the service's origin in `script-src` and `connect-src`. The policy needn't allow
 * styles, inline code, eval, images or fonts.
 */
import { NAME, PlacardLink } from './element.ts'
import type { State } from './feed.ts'
import { listen, warn } from './listen.ts'
import { sheetOf } from './sheet.ts'

/** The bar in all languages. The service inserts this declaration before the script (see page/create-site.ts). */
declare const BAR: State

/** The script's settings, and its address. */
type Tag = Pick<HTMLScriptElement, 'src'> &
  Partial<Pick<HTMLScriptElement, 'dataset' | 'parentNode'>>

function boot({ src: address, dataset, parentNode }: Tag) {
  // Old pages have a variable `URL` of their own.
  const src = address.split('/', 3).join('/')
  const settings: typeof PlacardLink.defaults = { ...dataset, src }
  const { target } = settings
  // The script tag's parent, which leaves the page when a router replaces the body. A loader may remove the tag sooner.
  const home: Node = parentNode ?? document
  const all = (customElements.get(NAME) ?? PlacardLink) as typeof PlacardLink &
    Record<string, AbortController | undefined>
  if (!all.bars) return warn(`${NAME} is taken`)

  // If a router runs the script tag again, the first run's state stays in use. A copy of the script contains an
  // outdated bar, and can't tell which service it came from.
  if (address.startsWith(`${src}/embed.js`)) all.states[src] ??= BAR
  else warn('a copy needs src')
  // A page may have script tags of two services. Elements without a `src` use the service of the first tag.
  PlacardLink.defaults = settings
  if (all === PlacardLink) customElements.define(NAME, PlacardLink)

  // A router that replaces the body runs this script again on each visit, and each run ends the previous one's work.
  all[src]?.abort()
  all[src] = new AbortController()
  const { signal } = all[src]

  /** Adds an element if the page needs one. @returns whether the page has loaded without a place for the element */
  const insert = () => {
    if (!home.isConnected) {
      // The listeners and their AbortController would keep the removed body in memory.
      all[src] = (all[src] as AbortController).abort() as undefined
      return
    }
    // Two script tags of the same service add only one bar.
    if (all.bars.some((entry) => entry[1] === src)) return
    // Until the page has loaded, its own scripts may still render an element.
    const isLoaded = document.readyState === 'complete'
    const place = target ? document.querySelector<HTMLElement>(target) : isLoaded && document.body
    if (!place) return isLoaded
    const element = new all()
    // Turbo would remove the element when it refreshes a page by morphing, because the new page's HTML lacks it.
    Object.assign(element.dataset, settings, { turboPermanent: '' }, !target && { float: '' })
    place.append(element)
  }
  const start = () => insert() && warn(`no ${target}`)
  start()
  listen(window, start, signal, 'load')
  // An app may go from a route with an element to a route without one, and Turbo and similar libraries replace the body
  // on each visit. A script tag in the new body runs again; a script tag in the head doesn't.
  listen(window, insert, signal, NAME)
  if (target) {
    // The element is positioned over its place, so it adds no gap, margin or height. A rule makes the place `relative`,
    // because a library that morphs the page would remove an inline style.
    const sheet = sheetOf(`:where(${target}){position:relative}`, document)
    document.adoptedStyleSheets.push(sheet)
    // An app may render the target later.
    const changes = new MutationObserver(insert)
    changes.observe(document, { subtree: true, childList: true })
    signal.onabort = () => {
      changes.disconnect()
      sheet.replaceSync('')
    }
  }
}

/**
 * Finds this script's tag where `document.currentScript` isn't that tag: in a module, in a script that a loader
 * evaluates, or beside an injected `<img name="currentScript">`. Other services have an `embed.js` too, so the stack
 * decides between several.
 */
function tagOf(): Tag | undefined {
  const loaded = performance.getEntries()
  const tags: Tag[] = [...document.scripts, ...loaded.map((one) => ({ src: one.name }))].filter(
    ({ src }) => /\/embed\.js(\?|$)/.test(src),
  )
  return tags.find(({ src }) => Error().stack?.includes(src)) ?? tags[0]
}

const script = document.currentScript as HTMLScriptElement | null
const tag = script?.matches('script[src]') ? script : tagOf()
if (tag) boot(tag)
else warn('no script')
