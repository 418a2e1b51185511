import { recallClosing, tell } from '../bar/dismissal.ts'
import { SHELL } from '../bar/shell.ts'
import { stepAside } from './aside.ts'
import { build, swap } from './build.ts'
import { choicesFor } from './choose.ts'
import { createFeed, type Feed, type Follower, type State } from './feed.ts'
import { hasTarget } from './link.ts'
import { listen } from './listen.ts'
import { sheetOf } from './sheet.ts'
import { followTheme } from './theme.ts'

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
    // A page may move the element into a frame or another window.
    const document = this.ownerDocument
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    // The nodes may have come in the page's HTML (contract R15), or the page may have moved the element.
    if (!root.firstChild) root.append(...SHELL.map((one) => build(one)))
    const [place, status] = root.children as unknown as [HTMLElement, HTMLElement]
    // An element from the page's HTML has its settings on its place. Later, the theme there is the detected one.
    if (!this.#connected) Object.assign(this.dataset, { ...place.dataset, ...this.dataset })
    const settings: typeof PlacardLink.defaults = { ...PlacardLink.defaults, ...this.dataset }
    const ancestors = withAncestors(this)
    const langs = choicesFor(
      settings.lang ?? ancestors.find((one) => one.lang)?.lang ?? navigator.language,
    )
    place.lang = langs[0] as string
    const base = (this.getAttribute('src') ?? settings.src).replace(/\/$/, '')
    // Removes the element (with `data-src`) that the script added before an app rendered its own element.
    for (const [one] of PlacardLink.bars) if (one.dataset.src === base) one.remove()
    PlacardLink.bars.push([this, base])
    const sheet = sheetOf(PLACARD_STYLES, document)
    root.adoptedStyleSheets = [sheet]
    this.#connected = new AbortController()
    const { signal } = this.#connected

    /** The bar; before it loads, its place, which has no key, stands for the last announcement here. */
    const shown = () => place.querySelector<HTMLElement>('.placard') ?? place

    const isDismissible = 'float' in settings || 'dismissible' in settings
    // Hides the element by a rule, because its `hidden` attribute belongs to the page; React checks it on hydration.
    const gone = sheet.cssRules[0] as CSSMediaRule
    const updateVisibility = (bar = shown(), isClosed?: boolean) => {
      const isDismissed = isDismissible && recallClosing(bar, isClosed)
      // All bars of the page hear the event. This one may not find its dismissal again, if storage is blocked.
      if (isClosed) tell(bar, 'placard:dismiss')
      // A dismissed bar gives up its space unless `data-keep-space` is set. A place without an announcement keeps its
      // space unless `data-collapse` is set.
      const isGone =
        bar.hidden && (isDismissed ? 'keepSpace' : 'collapse') in settings === !isDismissed
      gone.media.mediaText = isGone ? '' : 'not all'
    }
    listen(document, () => updateVisibility(), signal, 'visibilitychange', 'placard:dismiss')

    /** The link as the announcement has it. */
    let href = ''
    /** Where a fragment link leads if its target isn't on this page, if the settings say. */
    let elsewhere: string | false | undefined
    // On each click too, because an app may have rendered the target or changed the page's address by then. A
    // `<base href>` has no effect.
    const resolveFragment = () => {
      if (href[0] !== '#') return
      ;(shown().firstChild as HTMLAnchorElement).href =
        (!hasTarget(document, href.slice(1)) && elsewhere) || document.URL.replace(/#.*/, '') + href
    }
    place.onclick = (event) => {
      const bar = shown()
      const pressed = (event.target as Element).closest<HTMLAnchorElement>('a,button')
      if (!pressed) return
      if (!pressed.href) return updateVisibility(bar, true)
      resolveFragment()
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey ||
        event.altKey ||
        event.defaultPrevented
      )
        return
      if (tell(bar, 'placard:click')) {
        // A page's routers and analytics see no link inside a shadow root, so a copy outside gets the click. It has no place
        // in the page's layout, because there is no slot of its name.
        const copy = pressed.cloneNode(true) as HTMLAnchorElement
        copy.slot = '#'
        this.append(copy)
        copy.click()
        copy.remove()
      }
      // Stops the click in the shadow root, and prevents its default.
      event.cancelBubble = true
      return false
    }

    /** The announcement whose `placard:show` has been dispatched. */
    let reported: string | undefined = ''
    const show: Follower['show'] = (tree) => {
      const content = build(tree)
      const bar = content.firstChild as HTMLElement
      const link = bar.firstChild as HTMLAnchorElement
      const text = link.children[1] as HTMLElement
      // When there is nothing to show, the service sends a hidden bar for the fallback to fill in.
      if (bar.hidden && settings.fallbackText) {
        text.textContent = bar.dataset.key = settings.fallbackText
        link.href = settings.fallbackHref || '#'
        bar.hidden = false
      }
      // A post and a coupon open in the same tab (spec 2), even on a page whose links open new ones.
      if (document.querySelector('base[target]')) link.target ||= '_self'
      href = link.getAttribute('href') as string
      elsewhere =
        (bar.dataset.type === 'coupon' && settings.couponHref) ||
        (settings.base && settings.base + href)
      // As in the page's HTML, because only a script knows the page's targets.
      if (href[0] === '#' && elsewhere) link.href = elsewhere
      if (!isDismissible) bar.querySelector('button')?.remove()
      updateVisibility(bar)
      if (swap(place, content)) status.textContent = bar.hidden ? '' : text.textContent
      resolveFragment()
      if (bar.hidden || reported === bar.dataset.id) return
      reported = bar.dataset.id
      setTimeout(() => tell(shown(), 'placard:show'))
    }

    // Computing styles is slow, but comes before `show`, so that the bar fades in.
    const theme = followTheme(ancestors, place, signal)
    const key = base + settings.live
    feeds[key] ??= createFeed(
      base,
      'bar',
      'lang',
      settings.live !== 'off',
      PlacardLink.states[base],
    )
    const leave = feeds[key]({
      langs,
      show,
      hide: () => {
        const bar = shown()
        if (!((bar.dataset.until as unknown as number) <= Date.now())) return
        bar.hidden = true
        updateVisibility()
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
