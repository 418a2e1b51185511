import { isBlank, toLine } from '../../core/rules.ts'
import { measure } from './cut.ts'
import { icons } from './icons.ts'
import { AGAIN_MS, apply, ask, isSignedOut, keepDraft, unsay } from './requests.ts'

export type Composer = ReturnType<typeof composer>

/** Keeps the preview current while somebody types, and runs the form's helpers. */
export function composer(form: HTMLFormElement) {
  const field = (name: string) => form.querySelector(`#${name}`) as HTMLInputElement
  /** The last request for a preview, which may still be in flight. */
  let asked = Promise.resolve(false)
  let turn = 0
  /** The names of the time fields that were only partly typed at the last request. */
  let half = ''

  /** Requests the preview and the outcome. @returns whether the page now shows both for the form's current fields */
  function preview(query = '', isPressed = false): Promise<boolean> {
    asked = request(query, isPressed)
    return asked
  }

  async function request(query: string, isPressed: boolean): Promise<boolean> {
    const own = ++turn
    const again = () => setTimeout(() => own === turn && preview(query), AGAIN_MS)
    // With an invalid session, each request counts as a guess (contract O2). After ten guesses within 10 s, even a new
    // session would be rejected for a while.
    if (isSignedOut() && !isPressed) {
      again()
      return false
    }
    half = halfTyped(form).join()
    const wasRefused = form.querySelector('[name=refused]') !== null
    const before = document.querySelector('[data-part=preview]')
    if (before) before.ariaBusy = 'true'
    const answer = await ask(`/preview${query}`, body())
    // A later request has made this response obsolete.
    if (own !== turn) return asked
    if (!answer.ok || !apply(answer)) {
      again()
      return false
    }
    settle()
    // Once the form has no faults, the notice about faults no longer applies.
    if (wasRefused && !form.querySelector('[data-field]')) {
      unsay(({ dataset }) => dataset.kind === 'fault' && !dataset.key)
    }
    return true
  }

  /** Updates the character count and expands sections with invalid fields. @returns the first invalid field */
  function settle(): HTMLElement | undefined {
    describe()
    const faulty = [...form.querySelectorAll<HTMLElement>('[aria-invalid=true]')]
    for (const one of faulty) unfold(one)
    return faulty[0]
  }

  /** Updates the character count, and makes room for the text's preview, which follows a moment later. */
  function describe() {
    const { value } = field('text')
    const { dataset } = form.querySelector<HTMLElement>('[data-length]') as HTMLElement
    dataset.count = (dataset.length ?? '').replace('0', String(Array.from(value).length))
    measure()
    document.querySelector('[data-part=preview]')?.toggleAttribute('data-blank', isBlank(value))
  }

  /** The form's data as it is sent. A partly typed time is sent as invalid, not empty. */
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

  languages(form)
  enter(form)
  icons(form, typed)
  form.addEventListener('input', ({ target }) => {
    // Turns line breaks into spaces, because an announcement is a single line, even if the field wraps its text.
    if (!(target instanceof HTMLTextAreaElement) || toLine(target.value) === target.value) return
    const caret = toLine(target.value.slice(0, target.selectionEnd)).length
    target.value = toLine(target.value)
    target.setSelectionRange(caret, caret)
  })
  // Fields outside the form don't change the preview, and the preview's width and theme need no request.
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
  // Browsers fire no `input` event while a time is partly typed.
  form.addEventListener('focusout', ({ target }) => {
    // Leaving a language field requests the preview, because the service replaces a language's name with its tag.
    if (halfTyped(form).join() !== half || (target as HTMLInputElement).name === 'tag') preview()
  })
  // Expands a section that contains an invalid field, which would otherwise be invisible.
  form.addEventListener('invalid', ({ target }) => unfold(target as Element), true)
  field('zone').addEventListener('focus', async () => {
    const cities = form.querySelector('#zones')
    if (cities?.childElementCount === 0) cities.replaceChildren(...(await ask('/zones')).parts)
  })
  settle()
  document.fonts.ready.then(measure)

  return {
    preview,
    body,
    /** Focuses the first invalid field of the updated form. @returns whether a field is invalid */
    renewed() {
      // Discards the responses to earlier requests, because the form has different content now.
      turn++
      asked = Promise.resolve(true)
      const first = settle()
      first?.focus()
      return first !== undefined
    },
  }
}

/** The language of the text that has the focus, for the preview; empty for the main text. */
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

/** A button adds a row for another language. Each row except an empty last one has a button that removes it. */
function languages(form: HTMLFormElement) {
  const rows = () => [...form.querySelectorAll<HTMLElement>('[data-row]')]

  function addRow(): HTMLElement {
    const last = rows().at(-1) as HTMLElement
    const row = last.cloneNode(true) as HTMLElement
    for (const field of row.querySelectorAll<HTMLInputElement>('input, textarea')) {
      field.value = ''
      field.removeAttribute('aria-invalid')
    }
    row.querySelector('output')?.replaceChildren()
    last.after(row)
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
    const field = row.querySelector('input')
    field?.focus()
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/**
 * Publishing takes effect on every page immediately, so Enter in a field only moves the focus to the button, which is
 * next to the preview and the outcome. On the button, Enter publishes. Ctrl+Enter or ⌘+Enter publishes from any field
 * or control of the form.
 */
function enter(form: HTMLFormElement) {
  const button = form.querySelector('.primary') as HTMLButtonElement
  document.addEventListener('keydown', (event) => {
    const { key, repeat, isComposing, keyCode } = event
    const target = event.target as HTMLElement & { form?: unknown }
    // Ignores keys outside the form: after publishing, the notice has the focus, and the form may already hold another
    // draft, which the author hasn't looked at yet.
    if (form.inert || !(form.contains(target) || target.form === form)) return
    // Ignores Enter if it selects an icon, or an input method's suggestion, which Safari marks only with `keyCode`.
    if (key !== 'Enter' || event.defaultPrevented || isComposing || keyCode === 229) return
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      if (!repeat) button.click()
    } else if (target.matches('input, textarea')) {
      event.preventDefault()
      button.focus({ preventScroll: true })
      button.scrollIntoView({ block: 'nearest' })
    } else if (repeat && target === button) {
      // Holding Enter moves the focus to the button, but doesn't publish.
      event.preventDefault()
    }
  })
}
