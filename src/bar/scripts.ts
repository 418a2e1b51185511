/**
 * The inline scripts of the bar, written as functions. The build inserts their text (see tsdown.config.ts). Otherwise, an
 * app's bundler could rewrite a function so that it calls helpers that pages don't have, and has a different hash.
 */
import { ENTRY, recallClosing, recallClosings } from './dismissal.ts'

/**
 * The inline script after a dismissible bar, which hides a dismissed one before the first paint. Its text is the same for
 * every bar, so one hash in a Content-Security-Policy covers it.
 */
export const dismissScript: string = `(${recallClosings})(${recallClosing},${JSON.stringify(ENTRY)})`

/**
 * Hides bars whose announcement has ended by the reader's clock, however they got into the page. It shows a bar
 * again if its end is postponed or removed, because React keeps the element and only changes `data-until`.
 *
 * It checks twice a second, because a timer for the end would be late after the machine slept. Routers that replace the
 * body run this again on each visit, while the first interval continues.
 *
 * Its source is printed into pages, so it must not refer to anything outside itself.
 */
function hideEnded(): void {
  const look = () => {
    for (const bar of document.querySelectorAll<HTMLElement>('.placard')) {
      const isOver = Number(bar.dataset.until) <= Date.now()
      if (isOver !== bar.hasAttribute('data-over')) bar.hidden = bar.toggleAttribute('data-over')
    }
  }
  look()
  const page = window as { placardEnds?: unknown }
  page.placardEnds ??= setInterval(look, 500)
}

/** The inline script that hides a bar when its announcement ends. Its text, too, is the same for every bar. */
export const endScript: string = `(${hideEnded})()`
