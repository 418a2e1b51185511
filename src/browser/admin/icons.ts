import { isSignedOut } from './draft.ts'
import { ask, partsIn } from './parts.ts'

/** A search for icons below their field. */
export function icons(base: string, form: HTMLFormElement, changed: () => void): void {
  const field = form.querySelector<HTMLInputElement>('[data-icons]')
  const list = form.querySelector<HTMLElement>('.icons')
  if (!field || !list) return
  /** The search for what the field has now; `undefined` while the list is closed. */
  let search: Promise<void> | undefined

  function open() {
    if (isSignedOut()) return
    const asked = ask(`${base}/icons?q=${encodeURIComponent(field?.value ?? '')}`)
    const own = asked.then(async (response) => {
      const parts = response?.ok ? await partsIn(response) : []
      if (own !== search || !list) return
      list.replaceChildren(...parts)
      list.hidden = parts.length === 0
    })
    search = own
  }

  function close() {
    search = undefined
    if (list) list.hidden = true
  }

  /** The first icon that was found for what the field has now, even if the list still belongs to fewer letters. */
  async function first(): Promise<HTMLButtonElement | null | undefined> {
    const own = search
    await own
    return own && own === search ? list?.querySelector('button') : null
  }

  field.addEventListener('focus', open)
  field.addEventListener('input', open)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && search) {
      event.preventDefault()
      close()
    } else if (event.key === 'ArrowDown') {
      event.preventDefault()
      first().then((button) => button?.focus())
    } else if (isChoice(event) && search && field.value !== '') {
      // Enter selects here and doesn't publish.
      event.preventDefault()
      first().then((button) => button?.click())
    }
  })
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key]
    const buttons = [...list.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (event.key === 'Escape') {
      back()
    } else if (step && at >= 0) {
      event.preventDefault()
      ;(buttons[at + step] ?? field).focus()
    }
  })
  list.addEventListener('click', ({ target }) => {
    const name = target instanceof Element && target.closest<HTMLElement>('[data-icon]')
    if (!name) return
    field.value = name.dataset.icon ?? ''
    back()
    changed()
  })

  function back() {
    field?.focus({ preventScroll: true })
    // The focus has opened it again.
    close()
  }

  for (const event of ['focusin', 'pointerdown']) {
    document.addEventListener(event, ({ target }) => {
      if (target !== field && !list.contains(target as Node)) close()
    })
  }
}

/** With Ctrl or ⌘, Enter publishes. */
const isChoice = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
  key === 'Enter' && !ctrlKey && !metaKey
