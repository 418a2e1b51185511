import { ask, partsIn } from './parts.ts'

/**
 * Chooses the browser's zone, unless somebody typed another, and rewrites stored times in it.
 *
 * @returns whether there are stored times, which were in another zone
 */
export function chooseZone(form: HTMLFormElement): boolean {
  const zone = form.querySelector<HTMLInputElement>('#zone')
  if (!zone) return false
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (zone.dataset.zone === undefined) {
    // Somebody is typing a zone.
    if (zone.value !== timeZone) unfold(zone)
    return false
  }
  const isOther = zone.value !== timeZone
  zone.value = timeZone
  const stored = form.querySelectorAll<HTMLInputElement>('[data-at]')
  for (const input of stored) {
    const at = new Date(Number(input.dataset.at))
    // Read as UTC, this gives the local time.
    const wall = at.getTime() - at.getTimezoneOffset() * 60_000
    input.value = new Date(wall).toISOString().slice(0, -1)
  }
  return isOther && stored.length > 0
}

/** Loads the cities of all zones when the field is first focused. */
export function offerZones(base: string, form: HTMLFormElement) {
  form.querySelector('#zone')?.addEventListener('focus', async () => {
    const list = form.querySelector('#zones')
    if (list?.childElementCount === 0)
      list.replaceChildren(...(await partsIn(await ask(`${base}/zones`))))
  })
}

/** Opens the part around a field. */
export function unfold(field: Element) {
  field.closest('details')?.setAttribute('open', '')
}
