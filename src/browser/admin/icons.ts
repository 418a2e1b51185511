import { isSignedOut } from './draft.ts'
import { ask, partsIn } from './parts.ts'

/** A search for icons below their field. */
export function icons(base: string, form: HTMLFormElement, changed: () => void): void {
  const field = form.querySelector<HTMLInputElement>('[data-icons]')
  const list = form.querySelector<HTMLElement>('.icons')
  if (!field || !list) return
  let latest = 0

  async function search() {
    if (isSignedOut()) return
    const turn = ++latest
    const response = await ask(`${base}/icons?q=${encodeURIComponent(field?.value ?? '')}`)
    if (!response?.ok || !list || turn !== latest) return
    list.replaceChildren(...(await partsIn(response)))
    list.hidden = false
  }

  /** Returns to the field without searching again. */
  function close() {
    latest++
    field?.removeEventListener('focus', search)
    field?.focus({ preventScroll: true })
    field?.addEventListener('focus', search)
    if (list) list.hidden = true
  }

  field.addEventListener('focus', search)
  field.addEventListener('input', search)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      list.hidden = true
    } else if (event.key === 'ArrowDown') {
      event.preventDefault()
      list.querySelector('button')?.focus()
    } else if (isChoice(event) && !list.hidden && field.value !== '') {
      // Enter selects here and doesn't publish. The list may still belong to fewer letters.
      event.preventDefault()
      search().then(() => list.querySelector('button')?.click())
    }
  })
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key]
    const buttons = [...list.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (event.key === 'Escape') {
      close()
    } else if (step && at >= 0) {
      event.preventDefault()
      ;(buttons[at + step] ?? field).focus()
    }
  })
  list.addEventListener('click', ({ target }) => {
    const name = target instanceof Element && target.closest<HTMLElement>('[data-icon]')
    if (!name) return
    field.value = name.dataset.icon ?? ''
    close()
    changed()
  })
  for (const event of ['focusin', 'pointerdown']) {
    document.addEventListener(event, ({ target }) => {
      if (target === field || list.contains(target as Node)) return
      latest++
      list.hidden = true
    })
  }
}

/** With Ctrl or ⌘, Enter publishes. */
const isChoice = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
  key === 'Enter' && !ctrlKey && !metaKey
