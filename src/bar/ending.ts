/**
 * Hides bars whose announcement has ended by the reader's clock, however they got into the page. A bar whose end is moved
 * or removed shows again, because React keeps the element and only changes that attribute.
 *
 * It checks twice a second, because a timer for the end would be late after the machine slept. Routers that replace the
 * body run this again at each visit, while the first one goes on.
 *
 * Its source is printed into pages (see `endScript`), so it may refer to nothing outside of itself.
 */
export function hideEnded(): void {
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
