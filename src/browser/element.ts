import { ENTRY, recallClosing } from '../bar/dismissal.ts'
import { SHELL } from '../bar/shell.ts'
import { stepAside } from './aside.ts'
import { build, swap } from './build.ts'
import { canonical } from './choose.ts'
import { createFeed, type Feed, type Follower, type State } from './feed.ts'
import { listen, warn } from './listen.ts'
import { sheetOf } from './sheet.ts'
import { around, followTheme } from './theme.ts'

/** The minified styles of the bar, which the build inserts. */
declare const PLACARD_STYLES: string

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
 * - `src`: origin of the service. Use only a service that you trust: the page inserts its responses as HTML.
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
    // A page may move the element into a frame or another window.
    const document = this.ownerDocument
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    // The nodes may have come in the page's HTML (contract R15), or the page may have moved the element.
    if (!root.firstChild) root.append(...SHELL.map((one) => build(one)))
    const [place, status] = root.children as unknown as [HTMLElement, HTMLElement]
    const settings: typeof PlacardLink.defaults = {
      ...PlacardLink.defaults,
      ...place.dataset,
      ...this.dataset,
    }
    const places = around(this)
    const lang = canonical(
      settings.lang ?? places.find((one) => one.lang)?.lang ?? navigator.language,
    )
    place.lang = lang
    const base = (this.getAttribute('src') ?? settings.src).replace(/\/$/, '')
    // Removes the element (with `data-src`) that the script added before an app rendered its own element.
    for (const [one] of PlacardLink.bars) if (one.dataset.src === base) one.remove()
    PlacardLink.bars.push([this, base])
    const sheet = sheetOf(PLACARD_STYLES, document)
    root.adoptedStyleSheets = [sheet]
    // The first rule hides the element, whose `hidden` attribute belongs to the page; React checks it on hydration.
    const gone = sheet.cssRules[0] as CSSMediaRule
    // HTML ignores the slash in `<placard-link />`, so the rest of the page would be inside the element. The template of a
    // bar in the page's HTML has a `slot`.
    if (this.querySelector(':not([slot])')) {
      warn(`write <${NAME}></${NAME}>`)
      gone.deleteRule(0)
    }
    this.#connected = new AbortController()
    const { signal } = this.#connected
    // Until the bar loads, its place, which has no key, stands for the last announcement here.
    const shown = () => place.querySelector<HTMLElement>('.placard') ?? place
    const closable = 'float' in settings || 'dismissible' in settings
    const look = (bar = shown(), isClosed?: boolean) => {
      const until = closable && recallClosing(bar, ENTRY, isClosed, base || NAME)
      // A dismissed bar gives up its space unless `data-keep-space` is set. A place without an announcement keeps its
      // space unless `data-collapse` is set.
      const isGone = bar.hidden && (until ? 'keepSpace' : 'collapse') in settings === !until
      gone.media.mediaText = isGone ? '' : 'not all'
    }
    // If the last announcement here was dismissed, gives up the bar's space before the bar loads.
    look()
    listen(document, () => look(), signal, 'visibilitychange', ENTRY)

    let to = ''
    let there: string | false | undefined
    // A fragment link whose target isn't on this page leads where the settings say. Each click checks again, because
    // an app may have rendered the target or changed the page's address by then. A `<base href>` has no effect.
    const aim = (here: string) => {
      if (to[0] === '#')
        (place.querySelector('a') as HTMLAnchorElement).href =
          (!hasTarget(document, to) && there) || here
    }
    place.onclick = ({ target }) => {
      if ((target as Element).closest('button')) look(shown(), true)
      else aim(document.URL.replace(/#.*/, '') + to)
    }

    const show: Follower['show'] = (tree) => {
      const content = build(tree)
      const bar = content.firstChild as HTMLElement
      const link = bar.firstChild as HTMLAnchorElement
      const text = bar.querySelector('.placard-text') as HTMLElement
      // When there is nothing to show, the service sends a hidden bar for the fallback to fill in.
      if (bar.hidden && settings.fallbackText) {
        text.textContent = bar.dataset.key = settings.fallbackText
        link.href = settings.fallbackHref || '#'
        bar.hidden = false
      }
      // A post and a coupon open in the same tab (spec 2), even on a page whose links open new ones.
      if (document.querySelector('base[target=_blank i],base[target]:not([target^=_])'))
        link.target ||= '_self'
      to = link.getAttribute('href') as string
      there =
        to[0] === '#' &&
        ((bar.dataset.type === 'coupon' && settings.couponHref) ||
          (settings.base && settings.base + to))
      // As in the page's HTML, because only a script knows the page's targets.
      link.href = there || to
      if (!closable) bar.querySelector('button')?.remove()
      look(bar)
      if (swap(place, content)) status.textContent = bar.hidden ? '' : text.textContent
      aim(to)
    }
    // Computing styles is slow, but comes before `show`, so that the bar fades in.
    const theme = followTheme(places, place, signal)
    const key = base + settings.live
    feeds[key] ??= createFeed(
      base,
      'bar',
      'lang',
      settings.live !== 'off',
      PlacardLink.states[base],
    )
    const leave = feeds[key]({
      lang,
      show,
      hide: () => {
        const bar = shown()
        if (!((bar.dataset.until as unknown as number) <= Date.now())) return
        bar.hidden = true
        look()
        return bar
      },
    })
    if ('float' in settings) stepAside(this, shown, signal)
    signal.onabort = () => {
      theme.disconnect()
      leave()
    }
  }

  disconnectedCallback(): void {
    this.#connected?.abort()
    PlacardLink.bars = PlacardLink.bars.filter(([one]) => one !== this)
    // Dispatched in a new task; otherwise, a script that removes the element each time it returns would block the page.
    setTimeout(() => {
      // Old libraries replace `Event`.
      dispatchEvent(new MessageEvent(NAME))
    })
  }
}

/** By the service's origin, and whether the elements follow its stream. */
const feeds: Record<string, Feed> = {}

/** Whether a browser would scroll to the target of a fragment link (HTML, "find a potential indicated element"). */
function hasTarget(page: Document, fragment: string): boolean {
  const name = fragment.slice(1)
  // Decodes what it can: the fragment may have a percent sign of its own.
  return [name, new URLSearchParams(`=${name}`).get('') as string].some(
    (one) => /^(top)?$/i.test(one) || page.getElementById(one) || page.anchors.namedItem(one),
  )
}
