import { ask, isSignedOut } from './requests.ts'

export function icons(form: HTMLFormElement, changed: () => void): void {
  const field = form.querySelector('#icon') as HTMLInputElement
  const list = form.querySelector('#icons') as HTMLElement
  /** The search for the field's current value; `undefined` while the list is closed. */
  let search: Promise<void> | undefined

  function open() {
    if (isSignedOut()) return
    const own = ask(`/icons?q=${encodeURIComponent(field.value)}`).then(({ ok, parts }) => {
      if (own !== search) return
      if (ok) list.replaceChildren(...parts)
      list.hidden = !ok
    })
    search = own
  }

  function close() {
    search = undefined
    list.hidden = true
  }

  /** Waits for the search and returns its first icon. Until then, the list may show results of an earlier search. */
  async function first(): Promise<HTMLButtonElement | null | undefined> {
    const own = search
    await own
    return own && own === search ? list.querySelector('button') : null
  }

  field.addEventListener('focus', open)
  field.addEventListener('input', open)
  field.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey } = event
    if (key === 'Escape' && search) {
      event.preventDefault()
      close()
    } else if (key === 'ArrowDown') {
      event.preventDefault()
      first().then((button) => button?.focus())
    } else if (key === 'Enter' && !ctrlKey && !metaKey && search && field.value !== '') {
      // While the list is open, Enter selects an icon instead of moving the focus to the publish button.
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
    const { icon } = (target as Element).closest<HTMLElement>('[data-icon]')?.dataset ?? {}
    if (icon === undefined) return
    field.value = icon
    back()
    changed()
  })

  function back() {
    field.focus({ preventScroll: true })
    // Focusing the field has opened the list again.
    close()
  }

  for (const event of ['focusin', 'pointerdown']) {
    document.addEventListener(event, ({ target }) => {
      if (target !== field && !list.contains(target as Node)) close()
    })
  }
}
