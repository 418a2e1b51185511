import { heard } from './draft.ts'
import { released } from './pointer.ts'

/** How long an answer may take. */
export const PATIENCE_MS = 10_000

/** How long nothing may answer until the page says so: longer than a restart. */
const SILENCE_MS = 3_000

let silentSince: number | undefined

/** Whether the last question had no answer. */
export const isAway = (): boolean => silentSince !== undefined

/** Asks the admin. `null` if there is no answer. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response | null> {
  try {
    const headers = { Accept: 'application/json', ...init.headers }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(url, { signal, ...init, headers })
    reached(response.status < 500)
    await released()
    if (response.ok || response.status === 401) heard(!response.ok)
    return response
  } catch {
    reached(false)
    await released()
    return null
  }
}

/** Says that what the page shows may not be so any more, while nobody can know. */
function reached(isReached: boolean) {
  silentSince = isReached ? undefined : (silentSince ?? Date.now())
  const away = document.querySelector<HTMLElement>('.away')
  if (away) away.hidden = silentSince === undefined || Date.now() - silentSince < SILENCE_MS
}

/** Asks the admin for a part of a page. `null` if there is nothing new, or no answer. */
export async function part(url: string, init?: RequestInit): Promise<Element | null> {
  const response = await ask(url, init)
  return response?.status === 200 ? (await parsed(response)).body.firstElementChild : null
}

/** Where the admin tells what a part shows, if it is not what the page shows. */
export function liveUrl(base: string, name: string): string {
  const { state = '' } = document.querySelector<HTMLElement>(`[data-part=${name}]`)?.dataset ?? {}
  return `${base}/live?${name}=${encodeURIComponent(state)}`
}

/** The page of an answer. */
export async function parsed(response: Response): Promise<Document> {
  const html = await response.text().catch(() => '')
  await released()
  return new DOMParser().parseFromString(html, 'text/html')
}

const CONTROLS = 'a, button, input, summary'

/**
 * Puts a fresh part in the place of the one that it succeeds. Whoever was about to press something there stays there. If
 * that is gone, they are not led to another: its button would take down something else.
 */
export function renew(after: Element | null): void {
  const before = document.querySelector(`[data-part=${after?.getAttribute('data-part')}]`)
  if (!before || !after) return
  // What is the same is not said again to those who hear it.
  if (after.role === 'alert' && before.isEqualNode(after)) return
  const { activeElement } = document
  const deed = before.contains(activeElement) && activeElement && deedOf(activeElement)
  const open = new Set([...before.querySelectorAll('details[open]')].map(aboutOf))
  for (const details of after.querySelectorAll('details')) {
    if (open.has(aboutOf(details))) details.open = true
  }
  before.replaceWith(after)
  if (!deed) return
  const controls = [...after.querySelectorAll<HTMLElement>(CONTROLS)]
  const same = controls.find((one) => deedOf(one) === deed)
  if (!same) after.setAttribute('tabindex', '-1')
  ;(same ?? (after as HTMLElement)).focus({ preventScroll: true })
}

/** What a control is for: its name, where it leads, and what its form is about. */
function deedOf(control: Element): string {
  const { id, name, type, value } = control as HTMLInputElement
  const choice = type === 'radio' ? value : control.getAttribute('href')
  return [control.tagName, id, name, choice, aboutOf(control)].join(' ')
}

/** The id that a form, or what opens it, is about. */
function aboutOf(part: Element): string | undefined {
  const form = part.closest('form, details')
  return form?.querySelector<HTMLInputElement>('[name=id]')?.value
}
