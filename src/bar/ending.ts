/**
 * Hides bars whose announcement is over, by the reader's clock, however they came into the page. One whose end is put off
 * or taken away shows again: React keeps the element then, and changes that attribute alone.
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
  // A timer that is set to the end would be late after a sleep of the machine.
  setInterval(look, 500)
}
