/**
 * The inline scripts of the bar, made from functions. The build inserts their text (see tsdown.config.ts), because a
 * bundler could rewrite a function with helpers that pages don't have, and with another hash.
 */
import { ENTRY, recallClosing, recallClosings } from './dismissal.ts'

/**
 * The inline script after a closable bar, which hides a closed one before the first paint. Its text is the same for every
 * bar, so one hash in a Content-Security-Policy covers it.
 */
export const dismissScript: string = `(${recallClosings})(${recallClosing},${JSON.stringify(ENTRY)})`

/**
 * Hides bars whose announcement is over on the reader's clock, however they got into the page. A bar whose end is moved
 * or removed shows again, because React keeps the element and only changes that attribute.
 *
 * It checks twice a second, because a timer for the end would be late after the machine slept. Routers that replace the
 * body run this again at each visit, while the first one goes on.
 *
 * Its source is printed into pages, so it may refer to nothing outside of itself.
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

/** The inline script that hides a bar at its end. Its text is also the same for every bar. */
export const endScript: string = `(${hideEnded})()`
