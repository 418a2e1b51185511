/** The page's own script, `/page.js`: it keeps the page current. The page works without it. */
import { applyDismissal } from '../bar/dismissal.ts'
import { follow } from './follow.ts'
import { swap, titleWhenCut } from './swap.ts'

const LINE = '[data-part=line]'
const place = document.querySelector<HTMLElement>(LINE)
const status = document.querySelector('[role=status]')

if (place) {
  titleWhenCut(place)
  follow({
    source: location.pathname + location.search,
    stream: '/api/events/stream',
    state: document.body.dataset.state ?? '',
    untold() {
      const bar = place.querySelector<HTMLElement>('.placard')
      if (bar && Number(bar.dataset.until) <= Date.now()) bar.hidden = true
    },
    show(part) {
      const fresh = part.querySelector(LINE)
      // On a first visit the parser runs this script. Here `applyDismissal` does its work.
      fresh?.querySelector('script')?.remove()
      applyDismissal(fresh?.querySelector<HTMLElement>('.placard'))
      const paused = place.querySelector(':checked')
      swap(place, fresh?.childNodes ?? [])
      if (paused) place.querySelector('input')?.click()
      if (status) status.textContent = place.querySelector('a')?.textContent ?? ''
    },
  })
}
