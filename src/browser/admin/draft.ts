/**
 * What somebody types is on their page alone until they send it. So the page isn't left without asking, and whoever is
 * signed out meanwhile can sign in elsewhere and go on.
 */
export let isTyped = false
let notice: HTMLElement | null = null

export function keepDraft(form: HTMLFormElement): void {
  const text = form.elements.namedItem('text') as HTMLInputElement
  notice = form.querySelector('.signed-out')
  // What was refused came back, and is stored nowhere either.
  isTyped = text.value !== '' && document.querySelector('.notice[data-kind=fault]') !== null
  form.addEventListener('input', () => setTyped(true))
  addEventListener('beforeunload', (event) => {
    if (isTyped) event.preventDefault()
  })
}

/** @param it whether there is something to lose */
export function setTyped(it: boolean): void {
  isTyped = it
}

export const isSignedOut = (): boolean => notice?.hidden === false

/** Whoever is signed out has to know before they type on. */
export function heard(isOut: boolean): void {
  if (isOut && !isTyped) location.reload()
  else if (notice && notice.hidden === isOut) notice.hidden = !isOut
}
