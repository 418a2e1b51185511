/** `/page.js`, the script that keeps the page at `/` current. The page works without it. */
import { keepCurrent, swap } from './fragments.ts'

const LINE = '[data-part=line]'
const place = document.querySelector(LINE) as HTMLElement
const status = document.querySelector('[role=status]') as HTMLElement

keepCurrent({
  source: location.pathname + (location.search || '?'),
  stream: '/api/events/stream',
  state: document.body.dataset.state,
  hide() {
    const bar = place.querySelector<HTMLElement>('.placard')
    if (!bar || !(Number(bar.dataset.until) <= Date.now())) return
    bar.hidden = true
    return bar
  },
  show(part) {
    this.state = part.dataset.state
    const { activeElement } = document
    const focused = place.contains(activeElement) && activeElement?.className
    const paused = place.querySelector(':checked')
    swap(place, part.querySelector(LINE)?.childNodes ?? [])
    if (paused) place.querySelector('input')?.click()
    if (focused) place.querySelector<HTMLElement>(`.${focused}`)?.focus({ preventScroll: true })
    status.textContent = place.querySelector('.placard-text')?.textContent ?? ''
  },
})
