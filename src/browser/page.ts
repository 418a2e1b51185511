/** `/page.js`, the script that keeps the page at `/` current. The page works without it. */
import type { Tree } from '../core/tree.ts'
import { build, swap } from './build.ts'
import { choicesFor } from './choose.ts'
import { createFeed } from './feed.ts'

const place = document.querySelector('[data-part=line]') as HTMLElement
const status = document.querySelector('[role=status]') as HTMLElement

const choices = choicesFor(document.documentElement.lang)
/** Stands for the bar that is in the page. */
const tree: Tree = ['div', {}]
const follow = createFeed(location.origin, 'page', 'page', true, {
  id: place.dataset.id,
  trees: { [choices[0] as string]: tree },
})
follow({
  langs: choices,
  tree: JSON.stringify(tree),
  hide() {
    const bar = place.querySelector<HTMLElement>('.placard')
    if (!bar || !(Number(bar.dataset.until) <= Date.now())) return
    bar.hidden = true
    return bar
  },
  show(tree) {
    if (swap(place, build(tree)))
      status.textContent = place.querySelector('.placard-text')?.textContent ?? ''
  },
})
