import { Idiomorph } from 'idiomorph'
import { heard } from './draft.ts'
import { isSaid, say, unsay } from './notice.ts'

/** How long an answer may take. */
const PATIENCE_MS = 10_000

/** How long the service may be silent until the page says so: longer than a restart. */
const SILENCE_MS = 3_000

let silentSince: number | undefined

/** Whether the last request had no answer. */
export const isAway = (): boolean => silentSince !== undefined

/** Sends a request to the admin. `null` without an answer. */
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

/** Warns that the page may be out of date while the service is silent. */
function reached(isReached: boolean) {
  silentSince = isReached ? undefined : (silentSince ?? Date.now())
  if (isReached) unsay(({ dataset }) => dataset.key === 'away')
  // The result of a press matters more, and says the same.
  else if (Date.now() - (silentSince ?? 0) >= SILENCE_MS && !isPressSaid()) say('away')
}

/** The parts of a page in an answer; none if nothing is new, or it isn't a page. */
export async function partsIn(response: Response | null): Promise<HTMLElement[]> {
  if (!response?.headers.get('Content-Type')?.startsWith('text/html')) return []
  const html = await response.text().catch(() => '')
  await released()
  const { firstElementChild } = new DOMParser().parseFromString(html, 'text/html').body
  return firstElementChild ? ([...firstElementChild.children] as HTMLElement[]) : []
}

/** Shows the parts of an answer. @param isOther whether the draft in it is another one. @returns the parts */
export async function apply(response: Response | null, isOther = false): Promise<HTMLElement[]> {
  const parts = (await partsIn(response)).filter(({ dataset }) => dataset.part)
  for (const part of parts) renew(part, isOther)
  return parts
}

/** The address of a part's current state, if it differs from the page's. */
export function liveUrl(base: string, name: string): string {
  const { state = '' } = document.querySelector<HTMLElement>(`[data-part=${name}]`)?.dataset ?? {}
  return `${base}/live?${name}=${encodeURIComponent(state)}`
}

/**
 * Updates a part in place and keeps the focus. If the focused element is gone, the focus doesn't move to the control in
 * its place, whose button would take down something else.
 */
export function renew(fresh: HTMLElement, isOther = false): void {
  const { part = '' } = fresh.dataset
  const before = document.querySelector<HTMLElement>(`[data-part=${part}]`)
  if (!before) return
  const { activeElement } = document
  const hadFocus = before.contains(activeElement)
  // Inputs and folds are the reader's, except in another draft. Without its `tabindex`, a focused element would lose the
  // focus.
  const isTyping = activeElement?.matches('input, textarea') === true
  Idiomorph.morph(before, fresh, {
    ignoreActiveValue: isTyping && !isOther,
    restoreFocus: false,
    callbacks: {
      beforeAttributeUpdated: (name, one) =>
        name !== 'tabindex' &&
        (isOther || name !== 'open' || one.tagName !== 'DETAILS') &&
        // A partly typed time has no value yet, and would lose its parts.
        !(name === 'value' && (one as HTMLInputElement).validity?.badInput),
      // What the script puts there itself.
      beforeNodeMorphed: (node) => !(node instanceof HTMLElement && 'own' in node.dataset),
    },
  })
  if (!hadFocus || activeElement?.isConnected) return
  const now = document.querySelector<HTMLElement>(`[data-part=${part}]`)
  now?.setAttribute('tabindex', '-1')
  now?.focus({ preventScroll: true })
}

/** The longest time between the release of a press and its click. */
const CLICK_MS = 100

let press: PromiseWithResolvers<void> | undefined

/**
 * Tracks presses, so that nothing moves away from under one: an answer is shown after the click. A slider is updated while
 * it is held.
 */
export function notePresses(): void {
  const end = () => {
    const ended = press
    setTimeout(() => {
      ended?.resolve()
      if (press === ended) press = undefined
    }, CLICK_MS)
  }
  addEventListener('pointerup', end)
  addEventListener('pointercancel', end)
  addEventListener('pointerdown', ({ button, target }) => {
    if (button !== 0 || (target as Element).matches('[type=range]')) return
    press?.resolve()
    press = Promise.withResolvers()
  })
}

/** Resolves once nothing is pressed. */
export const released = async (): Promise<void> => press?.promise
