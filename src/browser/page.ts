/** `/page.js`, the script that keeps the page at `/` current. The page works without it. */
import type { Tree } from '../core/tree.ts'
import { build, swap } from './build.ts'
import { canonical } from './choose.ts'
import { createFeed } from './feed.ts'

const place = document.querySelector('[data-part=line]') as HTMLElement
const status = document.querySelector('[role=status]') as HTMLElement

const lang = canonical(document.documentElement.lang)
/** Stands for the bar that is in the page. */
const tree: Tree = ['div', {}]
const follow = createFeed('', ['page', 'page'], true, {
  id: place.dataset.id,
  trees: { [lang]: tree },
})
follow({
  lang,
  tree,
  hide() {
    const bar = place.querySelector<HTMLElement>('.placard')
    if (!bar || !(Number(bar.dataset.until) <= Date.now())) return
    bar.hidden = true
    return bar
  },
  show(tree) {
    const part = build(tree)
    if (place.firstElementChild?.isEqualNode(part)) return
    const { activeElement } = document
    const focused = place.contains(activeElement) && activeElement?.className
    const paused = place.querySelector(':checked')
    swap(place, part)
    if (paused) place.querySelector('input')?.click()
    if (focused) place.querySelector<HTMLElement>(`.${focused}`)?.focus({ preventScroll: true })
    status.textContent = place.querySelector('.placard-text')?.textContent ?? ''
  },
})
