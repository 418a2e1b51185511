/** The page's own script, `/page.js`: it keeps the page current, and copies code. The page works without it. */
import { applyDismissal } from '../bar/dismissal.ts'
import { follow } from './follow.ts'
import { swap, titleWhenCut } from './swap.ts'

for (const part of document.querySelectorAll('[data-origin]')) part.textContent = location.origin

const status = document.querySelector('[role=status]')

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-copied]') : null
  const code = button?.parentElement?.querySelector('code')
  if (!button || !code) return
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    // There is no permission, or no secure context. Once the code is selected, one keystroke copies it.
    getSelection()?.selectAllChildren(code)
    return
  }
  const { copied = '' } = button.dataset
  const label = button.textContent
  if (label === copied) return
  button.textContent = copied
  if (status) status.textContent = copied
  setTimeout(() => {
    button.textContent = label
  }, 1500)
})

for (const place of document.querySelectorAll<HTMLElement>('[data-part=line]')) titleWhenCut(place)

follow({
  source: location.pathname + location.search,
  stream: '/api/events/stream',
  state: document.querySelector<HTMLElement>('[data-state]')?.dataset.state ?? '',
  show(html) {
    // On a first visit the parser runs this script. Here `applyDismissal` does its work.
    html.querySelector('[data-part=line] script')?.remove()
    const paused = document.querySelector('[data-part=line] :checked')
    applyDismissal(html.querySelector('[data-part=line] .placard'))
    for (const part of document.querySelectorAll('[data-part]')) {
      const fresh = html.querySelector(`[data-part="${part.getAttribute('data-part')}"]`)
      if (fresh) swap(part, fresh.childNodes)
    }
    if (paused) document.querySelector<HTMLElement>('[data-part=line] input')?.click()
    const text = document.querySelector('[data-part=line] a')?.textContent
    if (status) status.textContent = text ?? ''
  },
})
