/**
 * Hides bars whose announcement is over, by the reader's clock, however they came into the page. One whose end is put off
 * or taken away shows again: React keeps the element then, and changes that attribute alone.
 *
 * It looks twice a second, because a timer that is set to the end would be late after a sleep of the machine. Routers that
 * replace the body run this again at each visit, and the first goes on.
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
