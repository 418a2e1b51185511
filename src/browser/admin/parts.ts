import { Idiomorph } from 'idiomorph'
import { heard } from './draft.ts'
import { isSaid, say, unsay } from './notice.ts'
import { released } from './pointer.ts'
import { localTimes } from './times.ts'

/** How long an answer may take. */
const PATIENCE_MS = 10_000

/** How long nothing may answer until the page says so: longer than a restart. */
const SILENCE_MS = 3_000

let silentSince: number | undefined

/** Whether the last question had no answer. */
export const isAway = (): boolean => silentSince !== undefined

/** Asks the admin. `null` if there is no answer. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response | null> {
  try {
    const headers = { Accept: 'application/json' }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(url, { signal, headers, ...init })
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

const isPressSaid = () => (['unsent', 'unsure', 'unreached'] as const).some(isSaid)

/** Says that what the page shows may not be so any more, while nobody can know. */
function reached(isReached: boolean) {
  silentSince = isReached ? undefined : (silentSince ?? Date.now())
  if (isReached) unsay(({ dataset }) => dataset.key === 'away')
  // What became of a press matters more, and says the same.
  else if (Date.now() - (silentSince ?? 0) >= SILENCE_MS && !isPressSaid()) say('away')
}

/** The parts of a page in an answer. None if there is nothing new, or it is no page. */
export async function partsIn(response: Response | null): Promise<HTMLElement[]> {
  if (!response?.headers.get('Content-Type')?.startsWith('text/html')) return []
  const html = await response.text().catch(() => '')
  await released()
  const { firstElementChild } = new DOMParser().parseFromString(html, 'text/html').body
  return firstElementChild ? ([...firstElementChild.children] as HTMLElement[]) : []
}

/** Shows the parts of an answer. @returns which they are */
export async function apply(response: Response | null): Promise<HTMLElement[]> {
  const parts = await partsIn(response)
  for (const part of parts) renew(part)
  return parts
}

/** Where the admin tells what a part shows, if it is not what the page shows. */
export function liveUrl(base: string, name: string): string {
  const { state = '' } = document.querySelector<HTMLElement>(`[data-part=${name}]`)?.dataset ?? {}
  return `${base}/live?${name}=${encodeURIComponent(state)}`
}

/**
 * Makes a part what it has become. What has the focus keeps it. If that is gone, nobody is led to the control that takes its
 * place: its button would take down something else.
 */
export function renew(fresh: HTMLElement): void {
  const { part = '' } = fresh.dataset
  const before = document.querySelector<HTMLElement>(`[data-part=${part}]`)
  if (!before) return
  localTimes(fresh)
  const { activeElement } = document
  const hadFocus = before.contains(activeElement)
  // A whole form is another draft. Of any other part, what is typed and what is folded is the reader's. Without its
  // `tabindex`, what was led to would lose the focus.
  const isForm = part === 'compose'
  const isTyping = activeElement?.matches('input, textarea') === true
  Idiomorph.morph(before, fresh, {
    ignoreActiveValue: isTyping && !isForm,
    restoreFocus: false,
    callbacks: {
      beforeAttributeUpdated: (name, { tagName }) =>
        name !== 'tabindex' && (isForm || name !== 'open' || tagName !== 'DETAILS'),
    },
  })
  if (!hadFocus || activeElement?.isConnected) return
  const now = document.querySelector<HTMLElement>(`[data-part=${part}]`)
  now?.setAttribute('tabindex', '-1')
  now?.focus({ preventScroll: true })
}
