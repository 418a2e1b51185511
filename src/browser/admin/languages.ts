import { languageNames, tagFor } from '../../core/language.ts'

/** A button adds a row for another language, and each row has a button that removes it, except for an empty last one. */
export function languages(form: HTMLFormElement): void {
  const rows = () => [...form.querySelectorAll<HTMLElement>('[data-row]')]

  function addRow(): HTMLElement | undefined {
    const last = rows().at(-1)
    const row = last?.cloneNode(true) as HTMLElement | undefined
    for (const field of row ? fieldsOf(row) : []) {
      field.value = ''
      field.removeAttribute('aria-invalid')
    }
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
  // As if it had been chosen from the list.
  form.addEventListener('change', ({ target }) => {
    const field = target as HTMLInputElement
    if (field.name !== 'tag') return
    const tag = tagFor(field.value.trim(), named)
    if (tag === field.value) return
    field.value = tag
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  form.addEventListener('focusout', nameRows)
  form.addEventListener('input', () => {
    nameRows()
    const all = rows()
    for (const row of all) {
      const button = row.querySelector<HTMLElement>('[data-remove-language]')
      if (button) button.hidden = row === all.at(-1) && isEmpty(row)
    }
  })
}

/** Shows the name of each row's language, which the service sends with the preview. */
export function nameRows(): void {
  for (const row of document.querySelectorAll('[data-row]')) {
    const [output, field] = [row.querySelector('output'), row.querySelector('input')]
    const tag = field?.value.trim() ?? ''
    const known = document.querySelector<HTMLElement>(
      `[data-part=names] [value="${CSS.escape(tag)}"]`,
    )
    // A partly typed tag may be unknown.
    const isEarly = known?.dataset.unknown !== undefined && field === document.activeElement
    const text = (!isEarly && known?.textContent) || ''
    // Screen readers read it only if it changes.
    if (output && output.textContent !== text) output.textContent = text
  }
}

/** The names in the field's list. */
function named() {
  const offered = document.querySelectorAll<HTMLOptionElement>('#tags option')
  const tags = Array.from(offered, ({ value }) => value)
  return languageNames(tags, [document.documentElement.lang, 'en'])
}

const fieldsOf = (row: Element) => [...row.querySelectorAll<HTMLInputElement>('input, textarea')]

export const isEmpty = (row: Element): boolean =>
  fieldsOf(row).every(({ value }) => value.trim() === '')
