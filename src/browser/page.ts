/** `/page.js`, the script that keeps the page at `/` current. The page works without it. */
import { build, swap } from './build.ts'
import { choicesFor } from './choose.ts'
import { createFeed } from './feed.ts'

const place = document.querySelector('[data-part=line]') as HTMLElement
const status = document.querySelector('[role=status]') as HTMLElement

const choices = choicesFor(document.documentElement.lang)
const follow = createFeed('/embed.json?page=', `${location.origin}/api/events/stream?page=`, {
  id: place.dataset.id,
  trees: { [choices[0] as string]: null },
})
follow({
  langs: choices,
  hide() {
    const bar = place.querySelector<HTMLElement>('.placard')
    if (!bar || !(Number(bar.dataset.until) <= Date.now())) return
    bar.hidden = true
    return bar
  },
  show(tree) {
    const content = build(tree)
    // There is neither an announcement nor a fallback.
    if (!content.firstChild) return place.replaceChildren(content)
    if (swap(place, content))
      status.textContent = place.querySelector('.placard-text')?.textContent ?? ''
  },
})
