import { isBlank, toLine } from '../../core/rules.ts'
import { measure } from './cut.ts'
import { icons } from './icons.ts'
import { AGAIN_MS, apply, ask, isSignedOut, keepDraft, unsay } from './page.ts'

export type Composer = ReturnType<typeof composer>

/** Keeps the preview current while somebody types, and runs the form's helpers. */
export function composer(form: HTMLFormElement) {
  const field = (name: string) => form.querySelector<HTMLInputElement>(`#${name}`)
  /** The last requested preview, which may still be on its way. */
  let asked = Promise.resolve(false)
  let turn = 0
  /** The times that were only partly typed at the last request. */
  let half = ''

  /** Requests the preview and the outcome. @returns whether the page now shows both for the form's current fields */
  function preview(query = '', isPressed = false): Promise<boolean> {
    asked = request(query, isPressed)
    return asked
  }

  async function request(query: string, isPressed: boolean): Promise<boolean> {
    const own = ++turn
    const again = () => setTimeout(() => own === turn && preview(query), AGAIN_MS)
    // Each request would count as a guess at a session (contract O2), and ten guesses would block the next session too.
    if (isSignedOut() && !isPressed) {
      again()
      return false
    }
    half = halfTyped(form).join()
    const wasRefused = form.querySelector('[name=refused]') !== null
    const before = document.querySelector('[data-part=preview]')
    if (before) before.ariaBusy = 'true'
    const answer = await ask(`/preview${query}`, body())
    // The response belongs to an earlier input.
    if (own !== turn) return asked
    if (!answer.ok || !apply(answer)) {
      again()
      return false
    }
    settle()
    // Without faults, the notice of them is no longer true.
    if (wasRefused && !form.querySelector('[data-field]')) {
      unsay(({ dataset }) => dataset.kind === 'fault' && !dataset.key)
    }
    return true
  }

  /** Runs after the form was updated. @returns the first invalid field */
  function settle(): HTMLElement | undefined {
    describe()
    const faulty = [...form.querySelectorAll<HTMLElement>('[aria-invalid=true]')]
    for (const one of faulty) unfold(one)
    return faulty[0]
  }

  /** Updates the character count, and makes room for the text's preview, which follows a moment later. */
  function describe() {
    const value = field('text')?.value ?? ''
    const { dataset } = form.querySelector<HTMLElement>('[data-length]') as HTMLElement
    dataset.count = (dataset.length ?? '').replace('0', String(Array.from(value).length))
    measure()
    document.querySelector('[data-part=preview]')?.toggleAttribute('data-blank', isBlank(value))
  }

  /** The form as it is sent. A partly typed time is invalid, not empty. */
  function body(): URLSearchParams {
    const data = new URLSearchParams(new FormData(form) as never)
    for (const name of halfTyped(form)) data.set(name, '?')
    data.set('show', writtenIn() ?? data.get('show') ?? '')
    return data
  }

  function typed() {
    keepDraft(body())
    preview()
  }

  /** Makes the response to an earlier request obsolete, because it doesn't belong to the form any more. */
  function outdate() {
    turn++
    asked = Promise.resolve(true)
  }

  languages(form)
  enter(form)
  icons(form, typed)
  form.addEventListener('input', ({ target }) => {
    // A text stays on one line, however many lines its field shows.
    if (!(target instanceof HTMLTextAreaElement) || !target.value.includes('\n')) return
    const caret = toLine(target.value.slice(0, target.selectionEnd)).length
    target.value = toLine(target.value)
    target.setSelectionRange(caret, caret)
  })
  // Fields outside the form, such as the slider, don't change the preview, and its width and theme need no request.
  document.addEventListener('input', ({ target }) => {
    const { name, form: own } = target as HTMLInputElement
    if (own !== form || name === 'width' || name === 'theme') return
    describe()
    typed()
  })
  form.addEventListener('focusin', () => {
    const { value } = form.querySelector<HTMLInputElement>('[name=show]:checked') ?? {}
    if (value !== undefined && (writtenIn() ?? value) !== value) preview('?unasked')
  })
  // The browser sends no event while a time is partly typed.
  form.addEventListener('focusout', ({ target }) => {
    // The name of a language becomes its tag.
    if (halfTyped(form).join() !== half || (target as HTMLInputElement).name === 'tag') preview()
  })
  // A fault in a folded part would be invisible.
  form.addEventListener('invalid', ({ target }) => unfold(target as Element), true)
  field('zone')?.addEventListener('focus', async () => {
    const cities = form.querySelector('#zones')
    if (cities?.childElementCount === 0) cities.replaceChildren(...(await ask('/zones')).parts)
  })
  settle()
  document.fonts.ready.then(measure)

  return {
    preview,
    body,
    /** Runs after the response to a press has renewed the form. Focuses its first fault. @returns whether it has one */
    renewed() {
      outdate()
      const first = settle()
      first?.focus()
      return first !== undefined
    },
  }
}

/** The language in which somebody is writing, for the preview; empty for the main text. */
function writtenIn(): string | undefined {
  const { activeElement } = document
  if (activeElement?.id === 'text') return ''
  return activeElement?.closest('[data-row]')?.querySelector('input')?.value.trim()
}

function halfTyped(form: HTMLFormElement): string[] {
  const fields = [...form.querySelectorAll<HTMLInputElement>('[name=from], [name=until]')]
  return fields.flatMap(({ name, validity }) => (validity.badInput ? name : []))
}

function unfold(field: Element) {
  field.closest('details')?.setAttribute('open', '')
}

/** A button adds a row for another language, and each row has a button that removes it, except for an empty last one. */
function languages(form: HTMLFormElement) {
  const rows = () => [...form.querySelectorAll<HTMLElement>('[data-row]')]

  function addRow(): HTMLElement | undefined {
    const last = rows().at(-1)
    const row = last?.cloneNode(true) as HTMLElement | undefined
    for (const field of row?.querySelectorAll<HTMLInputElement>('input, textarea') ?? []) {
      field.value = ''
      field.removeAttribute('aria-invalid')
    }
    row?.querySelector('output')?.replaceChildren()
    if (row) last?.after(row)
    return row
  }

  form.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('[data-add-language], [data-remove-language]')
    if (!button) return
    const gone = button.closest<HTMLElement>('[data-row]')
    const all = rows()
    const at = gone ? all.indexOf(gone) : all.length
    const row = all[at + 1] ?? (gone && all[at - 1]) ?? addRow()
    gone?.remove()
    const field = row?.querySelector('input')
    field?.focus()
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/**
 * Publishing changes every page immediately, so Enter in a field only moves to the button, beside the preview and the
 * outcome. There, Enter publishes. Ctrl+Enter or ⌘+Enter publishes from any field or control of the form.
 */
function enter(form: HTMLFormElement) {
  const button = form.querySelector<HTMLButtonElement>('.primary')
  document.addEventListener('keydown', (event) => {
    const { key, repeat, isComposing, keyCode } = event
    const target = event.target as HTMLElement & { form?: unknown }
    // While the focus is elsewhere, the form may already hold another draft, which its author has not seen.
    if (form.inert || !(form.contains(target) || target.form === form)) return
    // Enter also selects an icon, or a suggestion of an input method, which Safari reveals only by the key code.
    if (key !== 'Enter' || event.defaultPrevented || isComposing || keyCode === 229) return
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      if (!repeat) button?.click()
    } else if (target.matches('input, textarea')) {
      event.preventDefault()
      button?.focus({ preventScroll: true })
      button?.scrollIntoView({ block: 'nearest' })
    } else if (repeat && target === button) {
      // A held key moves to the button, but doesn't publish.
      event.preventDefault()
    }
  })
}
