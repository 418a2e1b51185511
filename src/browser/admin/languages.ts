/** A button adds a row for another language, and each row has a button that removes it, except for an empty last one. */
export function languages(form: HTMLFormElement): void {
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
