import { Idiomorph } from 'idiomorph'

export const base = document.body.dataset.base ?? ''

const REQUEST_TIMEOUT_MS = 10_000

/** How long to wait after a failed request before the next request. */
export const AGAIN_MS = 2_000

/** How long the service may be silent before the page shows a message: longer than a restart takes. */
const SILENCE_MS = 3_000

let silentSince: number | undefined

/** Whether the last request failed: with no response, or with a 5xx. */
export const isAway = (): boolean => silentSince !== undefined

export type Reply = Awaited<ReturnType<typeof ask>>

/**
 * Sends a form to the admin, or requests something from it.
 *
 * @returns the status (0 without a response) and the parts of the page in the response, if it has any
 */
export async function ask(path: string, form?: URLSearchParams) {
  let [status, html] = [0, '']
  try {
    const response = await fetch(base + path, {
      ...(form && { method: 'POST', body: form }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: { Accept: 'application/json' },
    })
    const isPage = response.headers.get('Content-Type')?.startsWith('text/html')
    html = isPage ? await response.text() : ''
    status = response.status
  } catch {}
  while (performance.now() - releasedAt < CLICK_MS) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const ok = status >= 200 && status < 300
  reached(status > 0 && status < 500)
  if (ok || status === 401) heard(!ok)
  const { firstElementChild } = new DOMParser().parseFromString(html, 'text/html').body
  return { status, ok, parts: [...(firstElementChild?.children ?? [])] as HTMLElement[] }
}

/** While the service is silent, warns that the page may be out of date. */
function reached(isReached: boolean) {
  silentSince = isReached ? undefined : (silentSince ?? Date.now())
  if (isReached) unsay(({ dataset }) => dataset.key === 'away')
  // Keeps a message about a failed action, which already implies that the service doesn't respond.
  else if (Date.now() - (silentSince ?? 0) >= SILENCE_MS && !isSaid('unsent') && !isSaid('unsure'))
    say('away')
}

export const isSignedOut = (): boolean => isSaid('signedOut')

/** Tells editors that they are signed out, before they type more. If there is no draft to lose, reloads the page. */
function heard(isOut: boolean) {
  if (!isOut) unsay(({ dataset }) => dataset.key === 'signedOut')
  else if (keptDraft() !== null) say('signedOut')
  else location.reload()
}

/** The script's own messages. The page has a template for each message. */
type Key = 'signedOut' | 'unsent' | 'unsure' | 'away' | 'kept'

const notice = () => document.querySelector('.notice') as HTMLElement

const isSaid = (key: Key): boolean => notice().dataset.key === key

/** Focuses the notice, so that screen readers read it and Tab continues from it. */
export const lead = (): void => focusOn(notice())

export function say(key: Key): void {
  const { content } = document.querySelector<HTMLTemplateElement>(`[data-say=${key}]`) ?? {}
  const said = content?.firstElementChild?.cloneNode(true) as HTMLElement | undefined
  if (!said || isSaid(key)) return
  said.dataset.key = key
  notice().replaceWith(said)
}

/** Removes the notice if it is no longer true. */
export function unsay(isOver: (it: HTMLElement) => boolean): void {
  const it = notice()
  if (it.hidden || !isOver(it)) return
  const isLedTo = it.contains(document.activeElement)
  it.hidden = true
  it.replaceChildren()
  delete it.dataset.key
  if (isLedTo) focusOn(document.querySelector('h1'))
}

/** Focuses an element that can't normally take the focus. */
export function focusOn(it: HTMLElement | null, options?: FocusOptions): void {
  it?.setAttribute('tabindex', '-1')
  it?.focus(options)
}

/**
 * Shows a response's parts.
 *
 * @param isOther whether the parts belong to a different draft
 * @returns whether the page has any of the parts
 */
export function apply({ parts }: Reply, isOther = false): boolean {
  return parts.map((part) => renew(part, isOther)).includes(true)
}

const partOf = (name = '') => document.querySelector<HTMLElement>(`[data-part="${name}"]`)

/**
 * Updates a part of the page in place and keeps the focus. If the focused element is gone, the part itself gets the
 * focus, not the control that moved into the element's place, because that may take down another announcement.
 *
 * @returns whether the page has the part
 */
function renew(fresh: HTMLElement, isOther: boolean): boolean {
  const { part } = fresh.dataset
  const before = partOf(part)
  if (!before) return false
  const { activeElement } = document
  const hadFocus = before.contains(activeElement)
  // Keeps typed text and expanded sections, unless the response has a different draft. Keeps `tabindex` too; otherwise,
  // a focused element would lose the focus.
  const isTyping = activeElement?.matches('input:not([type=datetime-local]), textarea') === true
  Idiomorph.morph(before, fresh, {
    ignoreActiveValue: isTyping && !isOther,
    restoreFocus: false,
    callbacks: {
      beforeAttributeUpdated: (name, one) =>
        name !== 'tabindex' &&
        (isOther || name !== 'open' || one.tagName !== 'DETAILS') &&
        // A partly typed time has no value yet, so setting a value would clear the typed parts.
        !(name === 'value' && (one as HTMLInputElement).validity?.badInput),
      // Keeps the elements that the script itself fills (`data-own`).
      beforeNodeMorphed: (node) => !(node instanceof HTMLElement && 'own' in node.dataset),
    },
  })
  if (hadFocus && !activeElement?.isConnected) focusOn(partOf(part), { preventScroll: true })
  return true
}

/** The longest time between a pointer's release and the click. */
const CLICK_MS = 100

/** When the pointer was last released; `Infinity` while it is pressed. */
let releasedAt = -CLICK_MS

/**
 * Tracks pointer presses, so that a response waits until after the click instead of moving a control away from under
 * the pointer. Dragging a slider doesn't delay responses.
 */
export function notePresses(): void {
  addEventListener('pointerdown', ({ button, target }) => {
    if (button === 0 && !(target as Element).matches('[type=range]')) releasedAt = Infinity
  })
  // The page may miss a release, for example over a menu or another window, so other events end a press too.
  for (const type of ['pointerup', 'pointercancel', 'pointermove', 'contextmenu', 'keydown']) {
    addEventListener(type, ({ buttons }: Event & { buttons?: number }) => {
      const isHeld = type === 'pointermove' && buttons !== 0
      if (releasedAt === Infinity && !isHeld) releasedAt = performance.now()
    })
  }
}

/**
 * The key of the draft. The tab keeps a draft until it is published or discarded, even across reloads, visits to other
 * pages of the admin, and sign-ins. Each edited or copied announcement has its own draft.
 */
const key = () => `placard-draft ${location.search}`

export const keptDraft = (): string | null => sessionStorage.getItem(key())

export const keepDraft = (body: URLSearchParams): void => {
  // If storage is full, only the page holds the draft.
  try {
    sessionStorage.setItem(key(), String(body))
  } catch {}
}

export const dropDraft = (): void => sessionStorage.removeItem(key())
