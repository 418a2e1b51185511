import { recallClosing, tell } from '../bar/dismissal.ts'
import { build, swap } from './build.ts'
import type { Follower } from './feed.ts'
import { hasTarget } from './link.ts'
import { listen } from './listen.ts'
import { sheetOf } from './sheet.ts'

/** The minified styles of the bar, which the build inserts. */
declare const PLACARD_STYLES: string

/**
 * The bar in an element's shadow root: what it shows, whether it takes space, and what happens when it is clicked.
 *
 * @param settings the element's `data-…` attributes and their defaults
 * @param signal aborted when the element leaves the page
 * @returns also `shown`, which returns the bar or, before it loads, its place
 */
export function createShadowBar(
  root: ShadowRoot,
  settings: DOMStringMap,
  signal: AbortSignal,
): Pick<Follower, 'show' | 'hide'> & { shown: () => HTMLElement } {
  // A page may move the element into a frame or another window.
  const document = root.ownerDocument
  const [place, status] = root.children as unknown as [HTMLElement, HTMLElement]
  const sheet = sheetOf(PLACARD_STYLES, document)
  root.adoptedStyleSheets = [sheet]

  /** The bar or, until it has loaded, its empty place. */
  const shown = () => place.querySelector<HTMLElement>('.placard') ?? place

  const isDismissible = 'float' in settings || 'dismissible' in settings
  // Hides the element by a rule, because its `hidden` attribute belongs to the page; React checks it on hydration.
  const gone = sheet.cssRules[0] as CSSMediaRule
  const updateVisibility = (bar: HTMLElement, isClosed?: boolean) => {
    const isDismissed = isDismissible && recallClosing(bar, isClosed)
    // All bars on the page hear the event. If storage is blocked, this bar's own listener doesn't find the dismissal,
    // so the event comes before the update below.
    if (isClosed) tell(bar, 'placard:dismiss')
    // A dismissed bar gives up its space unless `data-keep-space` is set. A place without an announcement keeps its
    // space unless `data-collapse` is set.
    const isGone =
      bar.hidden && (isDismissed ? 'keepSpace' : 'collapse') in settings === !isDismissed
    gone.media.mediaText = isGone ? '' : 'not all'
  }
  listen(document, () => updateVisibility(shown()), signal, 'visibilitychange', 'placard:dismiss')

  /** Makes the shown link absolute if it is a fragment. */
  let resolveFragment = () => {}
  place.onclick = (event) => {
    const bar = shown()
    const pressed = (event.target as Element).closest<HTMLAnchorElement>('a,button')
    if (!pressed) return
    if (!pressed.href) return updateVisibility(bar, true)
    // An app may have rendered the target or changed the page's address since the bar was shown.
    resolveFragment()
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.defaultPrevented)
      return
    if (tell(bar, 'placard:click')) {
      // A page's routers and analytics see no link inside a shadow root, so a copy outside gets the click. It has no
      // place in the page's layout, because there is no slot of its name.
      const copy = pressed.cloneNode(true) as HTMLAnchorElement
      copy.slot = '#'
      root.host.append(copy)
      copy.click()
      copy.remove()
    }
    // Stops the click in the shadow root, and prevents its default.
    event.cancelBubble = true
    return false
  }

  /** The announcement whose `placard:show` has been dispatched. */
  let reported: string | undefined = ''
  return {
    shown,
    show(tree) {
      const content = build(tree)
      const bar = content.firstChild as HTMLElement
      const link = bar.firstChild as HTMLAnchorElement
      const text = link.children[1] as HTMLElement
      // When there is nothing to show, the service sends a hidden bar for the fallback to fill in.
      if (bar.hidden && settings.fallbackText) {
        link.href = settings.fallbackHref || '#'
        text.textContent = bar.dataset.key = settings.fallbackText
        bar.hidden = false
      }
      // A post and a coupon open in the same tab (spec 2), even on a page whose links open new ones.
      if (document.querySelector('base[target]')) link.target ||= '_self'
      const href = link.getAttribute('href') as string
      // Where the settings send a fragment link whose target isn't on this page.
      const elsewhere =
        (bar.dataset.type === 'coupon' && settings.couponHref) ||
        (settings.base && settings.base + href)
      // The bar in the page's HTML has this address even if the target exists, because only a script can look for it
      // (contract R15). With the same address, `swap` finds the two bars equal.
      if (href[0] === '#' && elsewhere) link.href = elsewhere
      // Contains `document.URL`, because with a `<base href>`, the fragment alone could lead to another page.
      resolveFragment = () => {
        if (href[0] === '#')
          (shown().firstChild as HTMLAnchorElement).href =
            (!hasTarget(document, href.slice(1)) && elsewhere) ||
            document.URL.replace(/#.*/, '') + href
      }
      if (!isDismissible) bar.querySelector('button')?.remove()
      updateVisibility(bar)
      if (swap(place, content)) status.textContent = bar.hidden ? '' : text.textContent
      resolveFragment()
      if (bar.hidden || reported === bar.dataset.id) return
      reported = bar.dataset.id
      setTimeout(() => tell(shown(), 'placard:show'))
    },
    hide() {
      const bar = shown()
      if (!((bar.dataset.until as unknown as number) <= Date.now())) return
      bar.hidden = true
      updateVisibility(bar)
      return bar
    },
  }
}
