/**
 * The bar's inline scripts, written as functions. The build turns them into strings (see tsdown.config.ts). Otherwise,
 * an app's bundler could change a script's hash, and make the script call helpers that pages don't have.
 */
import { recallClosing, recallClosings, recallIncluded, tell } from './dismissal.ts'

/**
 * The inline script before a dismissible bar. It hides a dismissed bar as soon as the bar is in the page; a script after
 * the bar could run a frame too late. The script is the same for every bar, so one hash in a Content-Security-Policy is
 * enough.
 */
export const dismissScript: string = `(${recallClosings})(${recallClosing},${tell})`

/**
 * The inline script of a dismissible bar in a page's HTML (contract R15). It comes before the styles, and the bar's
 * place is hidden until the styles load, so a dismissed bar is never painted.
 */
export const includeScript: string = `(${recallIncluded})(${recallClosing},${tell})`

/**
 * Hides bars whose announcement has ended by the reader's clock, however the bars got into the page. Shows a bar again
 * if its end is postponed or removed, because React keeps the element and only changes `data-until`.
 *
 * The function checks twice a second, because a timer set for the end would fire late after the machine slept. A router
 * that replaces the body runs the script again on each visit, but only the first run starts an interval and an observer.
 *
 * The function's source is printed into pages, so it must not refer to anything outside itself.
 */
function hideEnded(): void {
  const bars = document.getElementsByClassName('placard') as HTMLCollectionOf<HTMLElement>
  const look = () => {
    for (const bar of bars) {
      const isOver = Number(bar.dataset.until) <= Date.now()
      if (isOver !== bar.hasAttribute('data-over')) bar.hidden = bar.toggleAttribute('data-over')
    }
  }
  look()
  const page = window as { placardEnds?: unknown }
  if (page.placardEnds) return
  page.placardEnds = setInterval(look, 500)
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}

/** The inline script that hides a bar when its announcement ends. The script is the same for every bar. */
export const endScript: string = `(${hideEnded})()`
