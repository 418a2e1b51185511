import { isBlank, toLine } from '../../core/rules.ts'
import { measure } from './cut.ts'
import { isSignedOut, keepDraft } from './draft.ts'
import { enter } from './enter.ts'
import { icons } from './icons.ts'
import { isEmpty, languages, nameRows } from './languages.ts'
import { unsay } from './notice.ts'
import { ask as askAdmin, partsIn, renew } from './parts.ts'

/** When a preview is asked for again after none came. */
const AGAIN_MS = 2_000

export interface Composer {
  /** Asks for the preview anew, and for what publishing will do, after others have done something. */
  judge(): void
  /** Resolves once both are of what is in the form. @returns whether they are */
  settled(): Promise<boolean>
  /** What is in the form, as it is sent. */
  body(): URLSearchParams
  /** Marks what a refusal says is wrong, and leads to the first of it. @returns whether there is any */
  refuse(): boolean
  /** Begins anew, with the form as it came. */
  clear(): void
}

/** Keeps the preview current while somebody types, and the form's small helps. */
export function composer(base: string, form: HTMLFormElement): Composer {
  let latest = 0
  /** Of the last preview that is shown. */
  let shown = 0
  /** Whether it could not be published, so that all that is wrong is said until nothing is. */
  let isRefused = false
  /** The times of which only a part is typed, when the preview was asked for last. */
  let half = ''

  /** The preview that was asked for last. It may still be on its way. */
  let asked = Promise.resolve()

  function preview(query?: string) {
    asked = ask(query)
    return asked
  }

  async function ask(query = '') {
    // Each would count as a guess at a session (contract R7), and ten of them shut out the next sign-in.
    if (isSignedOut()) return
    const turn = ++latest
    half = halfTyped(form).join()
    const before = document.querySelector('[data-part=preview]')
    if (before) before.ariaBusy = 'true'
    const response = await askAdmin(`${base}/preview${query}`, { method: 'POST', body: body() })
    const fresh = response?.ok ? await partsIn(response) : []
    // An answer to what was typed before is of no use any more.
    if (turn !== latest) return
    if (fresh.length === 0) {
      setTimeout(() => turn === latest && preview(query), AGAIN_MS)
      return
    }
    shown = turn
    for (const one of fresh) renew(one)
    settle()
    // What the notice says holds no longer than the faults.
    if (isRefused && !form.querySelector('[data-field]')) {
      unsay(({ dataset }) => dataset.kind === 'fault' && !dataset.key)
    }
  }

  /** After parts of the form were renewed. @returns the first field that is at fault */
  function settle(): HTMLElement | undefined {
    label()
    types()
    nameRows()
    measure()
    return markFaults(form)
  }

  /** Says how long the text is, and makes room for its preview, which comes a moment later. */
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

  /** Says on the button what it does: a start that is over schedules nothing. */
  function label() {
    const submit = form.querySelector('.primary')
    const { label = '' } = form.querySelector<HTMLElement>('[data-part=verdict]')?.dataset ?? {}
    if (submit && submit.textContent !== label) submit.textContent = label
  }

  /** What is up is replaced by nothing of another type. Once it is gone, its draft is a new one. */
  function types() {
    const { edits } = document.querySelector<HTMLElement>('#compose-title')?.dataset ?? {}
    for (const one of form.querySelectorAll<HTMLInputElement>('[name=type]')) {
      one.disabled = edits === 'up' && !one.checked
    }
  }

  function body(): URLSearchParams {
    const data = new URLSearchParams(typedIn(form) as never)
    if (isRefused) data.set('refused', 'on')
    data.set('show', writtenIn() ?? data.get('show') ?? '')
    return data
  }

  const isRewritten = chooseZone(form)
  languages(form)
  oneLine(form)
  linkMeant(form)
  enter(form)
  icons(base, form, typed)
  zones(base, form)
  // Controls of the preview stand outside the form and belong to it, so the document hears all of them.
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
  // The browser tells of no input while a time is half typed, and of a fault in what is folded nothing can be seen.
  form.addEventListener('focusout', () => {
    if (halfTyped(form).join() !== half) preview()
  })
  form.addEventListener('invalid', ({ target }) => unfold(target as Element), true)
  describe()
  markFaults(form)
  measure()
  document.fonts.ready.then(measure)

  function typed() {
    keepDraft(body())
    preview()
  }

  // What publishing will do was told in the service's zone, where a time may be on another day.
  if (isRewritten) preview()
  return {
    judge: () => preview('?unasked'),
    async settled() {
      await asked
      if (shown !== latest) await preview()
      return shown === latest
    },
    body,
    refuse() {
      isRefused = true
      // What was asked for before knows less of what is wrong, and must not take this one's place.
      latest++
      shown = latest
      const first = settle()
      first?.focus()
      return first !== undefined
    },
    clear() {
      isRefused = false
      latest++
      shown = latest
      chooseZone(form)
      describe()
      settle()
    },
  }
}

/** Marks the fields that the verdict finds fault with. @returns the first of them */
function markFaults(form: HTMLFormElement): HTMLElement | undefined {
  const named = form.querySelectorAll<HTMLElement>('[data-field]')
  const faults = new Set(Array.from(named, ({ dataset }) => dataset.field))
  const faulty = [...form.querySelectorAll<HTMLInputElement>('.fields [name]')].filter((field) => {
    // A fault of a translation is known by its language, so both fields of its row are marked.
    const row = field.closest('[data-row]')
    const tag = row?.querySelector('input')?.value
    const name = tag === undefined ? field.name : `translations.${tag.trim()}`
    const isFaulty = faults.has(name) && !(row && isEmpty(row))
    if (isFaulty) field.ariaInvalid = 'true'
    else field.removeAttribute('aria-invalid')
    return isFaulty
  })
  for (const field of faulty) unfold(field)
  return faulty[0]
}

function unfold(field: Element) {
  field.closest('details')?.setAttribute('open', '')
}

/** The language that somebody is writing in, which the preview shows: empty for the text itself. */
function writtenIn(): string | undefined {
  const { activeElement } = document
  if (activeElement?.id === 'text') return ''
  return activeElement?.closest('[data-row]')?.querySelector('input')?.value.trim()
}

/** The names of the times of which only a part is typed. */
function halfTyped(form: HTMLFormElement): string[] {
  const fields = [...form.querySelectorAll<HTMLInputElement>('[name=from], [name=until]')]
  return fields.flatMap(({ name, validity }) => (validity.badInput ? name : []))
}

/** What is in the form. A time that is half typed is none, and not the same as no time. */
function typedIn(form: HTMLFormElement): FormData {
  const data = new FormData(form)
  for (const name of halfTyped(form)) data.set(name, '?')
  return data
}

/**
 * Chooses the browser's zone, unless somebody typed another. Stored times are written in it.
 *
 * @returns whether there are stored times, which were written in another zone
 */
function chooseZone(form: HTMLFormElement): boolean {
  const zone = form.querySelector<HTMLInputElement>('#zone')
  if (!zone) return false
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (zone.dataset.zone === undefined) {
    // Somebody typed it, and goes on with it.
    if (zone.value !== timeZone) unfold(zone)
    return false
  }
  const isOther = zone.value !== timeZone
  zone.value = timeZone
  const stored = form.querySelectorAll<HTMLInputElement>('[data-at]')
  for (const input of stored) {
    const at = new Date(Number(input.dataset.at))
    // As UTC, this reads what a clock on the reader's wall shows then.
    const wall = at.getTime() - at.getTimezoneOffset() * 60_000
    input.value = new Date(wall).toISOString().slice(0, -1)
  }
  return isOther && stored.length > 0
}

/** Offers the cities of every zone, once somebody comes to the field. */
function zones(base: string, form: HTMLFormElement) {
  form.querySelector('#zone')?.addEventListener('focus', async () => {
    const list = form.querySelector('#zones')
    if (list?.childElementCount === 0)
      list.replaceChildren(...(await partsIn(await askAdmin(`${base}/zones`))))
  })
}

/** A text has one line, however many its field shows. */
function oneLine(form: HTMLFormElement) {
  form.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || !target.value.includes('\n')) return
    const caret = toLine(target.value.slice(0, target.selectionEnd)).length
    target.value = toLine(target.value)
    target.setSelectionRange(caret, caret)
  })
}

/** A button puts the link into its field that was probably meant. */
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
