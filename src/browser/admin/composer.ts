import { isBlank, toLine } from '../../core/rules.ts'
import { measure } from './cut.ts'
import { isSignedOut, keepDraft } from './draft.ts'
import { enter } from './enter.ts'
import { icons } from './icons.ts'
import { languages } from './languages.ts'
import { unsay } from './notice.ts'
import { ask as askAdmin, partsIn, renew } from './parts.ts'

/** How long after a failed preview the next is requested. */
const AGAIN_MS = 2_000

export type Composer = ReturnType<typeof composer>

/** Keeps the preview current while somebody types, and runs the form's helpers. */
export function composer(base: string, form: HTMLFormElement) {
  let latest = 0
  /** The number of the last preview that is shown. */
  let shown = 0
  /** The times that were only partly typed at the last request. */
  let half = ''

  /** The last requested preview, which may still be on its way. */
  let asked = Promise.resolve()

  function preview(query?: string) {
    asked = ask(query)
    return asked
  }

  async function ask(query = '') {
    const turn = ++latest
    // Each request would count as a guess at a session (contract R7), and ten of them block the next sign-in.
    if (isSignedOut()) {
      setTimeout(() => turn === latest && preview(query), AGAIN_MS)
      return
    }
    half = halfTyped(form).join()
    const wasRefused = form.querySelector('[name=refused]') !== null
    const before = document.querySelector('[data-part=preview]')
    if (before) before.ariaBusy = 'true'
    const response = await askAdmin(`${base}/preview${query}`, { method: 'POST', body: body() })
    const fresh = response?.ok ? await partsIn(response) : []
    // The answer belongs to an earlier input.
    if (turn !== latest) return
    if (fresh.length === 0) {
      setTimeout(() => turn === latest && preview(query), AGAIN_MS)
      return
    }
    shown = turn
    for (const one of fresh) renew(one)
    settle()
    // The notice is valid only as long as the faults.
    if (wasRefused && !form.querySelector('[data-field]')) {
      unsay(({ dataset }) => dataset.kind === 'fault' && !dataset.key)
    }
  }

  /** Runs after the form was updated. @returns the first invalid field */
  function settle(): HTMLElement | undefined {
    measure()
    const faulty = [...form.querySelectorAll<HTMLElement>('[aria-invalid=true]')]
    for (const field of faulty) unfold(field)
    return faulty[0]
  }

  /** Updates the length of the text, and makes room for its preview, which follows a moment later. */
  function describe() {
    const { value = '' } = form.querySelector<HTMLTextAreaElement>('#text') ?? {}
    const length = form.querySelector<HTMLOutputElement>('[data-length]')
    const count = String(Array.from(value).length)
    if (length) {
      length.dataset.count = (length.dataset.length ?? '').replace('0', count)
      measure()
    }
    document.querySelector('[data-part=preview]')?.toggleAttribute('data-blank', isBlank(value))
  }

  function body(): URLSearchParams {
    const data = new URLSearchParams(typedIn(form) as never)
    data.set('show', writtenIn() ?? data.get('show') ?? '')
    return data
  }

  languages(form)
  oneLine(form)
  linkMeant(form)
  enter(form)
  icons(base, form, typed)
  offerZones(base, form)
  // Controls of the preview are outside the form's element, so the document listens for all of them.
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
  // The browser sends no event while a time is partly typed, and faults in folded parts are invisible.
  form.addEventListener('focusout', ({ target }) => {
    // The name of a language becomes its tag.
    if (halfTyped(form).join() !== half || (target as HTMLInputElement).name === 'tag') preview()
  })
  form.addEventListener('invalid', ({ target }) => unfold(target as Element), true)
  describe()
  settle()
  document.fonts.ready.then(measure)

  function typed() {
    keepDraft(body())
    preview()
  }

  return {
    /** Requests the preview and the outcome again, after others have changed something. */
    judge: () => preview('?unasked'),
    /** Resolves once both match the form. @returns whether they do */
    async settled() {
      await asked
      if (shown !== latest) await preview()
      return shown === latest
    },
    /** The form as it is sent. */
    body,
    /** Shows the faults of a refusal, and focuses the first. @returns whether there are any */
    refuse() {
      // An earlier request knows fewer faults, and must not replace this one's answer.
      latest++
      shown = latest
      const first = settle()
      first?.focus()
      return first !== undefined
    },
    /** Starts over with another draft. */
    clear() {
      latest++
      shown = latest
      describe()
      settle()
    },
  }
}

/** The language in which somebody is writing, for the preview; empty for the main text. */
function writtenIn(): string | undefined {
  const { activeElement } = document
  if (activeElement?.id === 'text') return ''
  return activeElement?.closest('[data-row]')?.querySelector('input')?.value.trim()
}

/** The names of partly typed times. */
function halfTyped(form: HTMLFormElement): string[] {
  const fields = [...form.querySelectorAll<HTMLInputElement>('[name=from], [name=until]')]
  return fields.flatMap(({ name, validity }) => (validity.badInput ? name : []))
}

/** The content of the form. A partly typed time is invalid, not empty. */
function typedIn(form: HTMLFormElement): FormData {
  const data = new FormData(form)
  for (const name of halfTyped(form)) data.set(name, '?')
  return data
}

/** Keeps a text on one line, however many lines its field shows. */
function oneLine(form: HTMLFormElement) {
  form.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || !target.value.includes('\n')) return
    const caret = toLine(target.value.slice(0, target.selectionEnd)).length
    target.value = toLine(target.value)
    target.setSelectionRange(caret, caret)
  })
}

/** Makes a button put the suggested link into its field. */
function linkMeant(form: HTMLFormElement) {
  form.addEventListener('click', ({ target }) => {
    const { link } = (target as HTMLElement).dataset
    const field = form.querySelector<HTMLInputElement>('#slug')
    if (!field || link === undefined) return
    field.value = link
    field.focus()
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** Loads the cities of all zones when the field is first focused. */
function offerZones(base: string, form: HTMLFormElement) {
  form.querySelector('#zone')?.addEventListener('focus', async () => {
    const list = form.querySelector('#zones')
    if (list?.childElementCount === 0)
      list.replaceChildren(...(await partsIn(await askAdmin(`${base}/zones`))))
  })
}

/** Opens the part around a field. */
function unfold(field: Element) {
  field.closest('details')?.setAttribute('open', '')
}
